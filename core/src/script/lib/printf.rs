//! C's `printf` conversions of numbers, as `string.format`, `cjson` and error messages use them, without any heap.
//!
//! Knows nothing of Lua. Texts equal those of the C library of the real servers (checked against it below).

use std::fmt::{self, Write as _};

/// Longest text: `%99.99f` of -1e308, with room to spare.
const TEXT_BYTES_MAX: usize = 512;

/// A short text in place; what does not fit is cut off.
#[derive(Clone, Copy)]
pub(in crate::script) struct Text {
    bytes: [u8; TEXT_BYTES_MAX],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self { bytes: [0; TEXT_BYTES_MAX], length: 0 }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.put(text.as_bytes());
        Ok(())
    }
}

impl Text {
    pub(in crate::script) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(in crate::script) fn put(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let count = bytes.len().min(room.len());
        room[..count].copy_from_slice(&bytes[..count]);
        self.length += count;
    }

    pub(in crate::script) fn put_i64(&mut self, number: i64) {
        self.put_fmt(format_args!("{number}"));
    }

    fn put_fmt(&mut self, arguments: fmt::Arguments<'_>) {
        // Writing to a Text never fails.
        let _ = self.write_fmt(arguments);
    }

    fn match_case_of(&mut self, letter: u8) {
        if letter.is_ascii_uppercase() {
            self.bytes[..self.length].make_ascii_uppercase();
        }
    }

    fn put_repeated(&mut self, byte: u8, count: usize) {
        for _ in 0..count {
            self.put(&[byte]);
        }
    }
}

/// What stands between `%` and the conversion letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::script) struct Spec {
    pub(in crate::script) left: bool,
    pub(in crate::script) plus: bool,
    pub(in crate::script) space: bool,
    pub(in crate::script) alternate: bool,
    pub(in crate::script) zero: bool,
    pub(in crate::script) width: usize,
    pub(in crate::script) precision: Option<usize>,
}

impl Spec {
    /// `%d`.
    pub(in crate::script) fn signed(self, value: i64) -> Text {
        let mut digits = Text::default();
        if value != 0 || self.precision != Some(0) {
            digits.put_fmt(format_args!("{}", value.unsigned_abs()));
        }
        self.integer(self.sign(value < 0), digits)
    }

    /// `%u`, `%o`, `%x`, `%X`, by the conversion letter.
    pub(in crate::script) fn unsigned(self, letter: u8, value: u64) -> Text {
        let mut digits = Text::default();
        if value != 0 || self.precision != Some(0) {
            match letter {
                b'o' => digits.put_fmt(format_args!("{value:o}")),
                b'x' => digits.put_fmt(format_args!("{value:x}")),
                b'X' => digits.put_fmt(format_args!("{value:X}")),
                _ => digits.put_fmt(format_args!("{value}")),
            }
        }
        let prefix = match letter {
            b'x' if self.alternate && value != 0 => "0x",
            b'X' if self.alternate && value != 0 => "0X",
            _ => "",
        };
        if letter == b'o' && self.alternate && !digits.as_slice().starts_with(b"0") {
            // One leading zero at least, unless the precision brings it.
            let mut octal = Text::default();
            octal.put_repeated(b'0', usize::from(self.precision.unwrap_or(0) <= digits.length));
            octal.put(digits.as_slice());
            digits = octal;
        }
        self.integer(prefix, digits)
    }

    fn integer(self, prefix: &str, digits: Text) -> Text {
        let mut body = Text::default();
        body.put_repeated(b'0', self.precision.unwrap_or(0).saturating_sub(digits.length));
        body.put(digits.as_slice());
        // A precision switches the flag 0 off.
        Self { zero: self.zero && self.precision.is_none(), ..self }.pad(prefix, body.as_slice())
    }

    /// `%e`, `%E`, `%f`, `%g`, `%G`, by the conversion letter.
    pub(in crate::script) fn float(self, letter: u8, value: f64) -> Text {
        let sign = self.sign(value.is_sign_negative());
        let mut body = Text::default();
        if value.is_nan() || value.is_infinite() {
            body.put(if value.is_nan() { b"nan" } else { b"inf" });
            body.match_case_of(letter);
            return Self { zero: false, ..self }.pad(sign, body.as_slice());
        }
        let precision = self.precision.unwrap_or(6);
        match letter.to_ascii_lowercase() {
            b'e' => self.exponent(&mut body, value.abs(), precision),
            b'g' => self.general(&mut body, value.abs(), precision.max(1)),
            _ => self.fixed(&mut body, value.abs(), precision),
        }
        body.match_case_of(letter);
        self.pad(sign, body.as_slice())
    }

    fn fixed(self, body: &mut Text, value: f64, precision: usize) {
        body.put_fmt(format_args!("{value:.precision$}"));
        if self.alternate && precision == 0 {
            body.put(b".");
        }
    }

    fn exponent(self, body: &mut Text, value: f64, precision: usize) {
        let (digits, exponent) = scientific(value, precision);
        body.put(digits.as_slice());
        if self.alternate && precision == 0 {
            body.put(b".");
        }
        put_exponent(body, exponent);
    }

    fn general(self, body: &mut Text, value: f64, precision: usize) {
        let (digits, exponent) = scientific(value, precision - 1);
        let plain = -4 <= exponent && exponent < precision as i32;
        if plain {
            let decimals = (precision as i32 - 1 - exponent) as usize;
            body.put_fmt(format_args!("{value:.decimals$}"));
        } else {
            body.put(digits.as_slice());
        }
        if self.alternate {
            if !body.as_slice().contains(&b'.') {
                body.put(b".");
            }
        } else if body.as_slice().contains(&b'.') {
            while body.as_slice().ends_with(b"0") {
                body.length -= 1;
            }
            if body.as_slice().ends_with(b".") {
                body.length -= 1;
            }
        }
        if !plain {
            put_exponent(body, exponent);
        }
    }

    /// `%s`, and what else needs nothing but its width and precision.
    pub(in crate::script) fn bytes(self, bytes: &[u8]) -> Text {
        let count = self.precision.unwrap_or(bytes.len()).min(bytes.len());
        Self { zero: false, ..self }.pad("", &bytes[..count])
    }

    fn sign(self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    fn pad(self, prefix: &str, body: &[u8]) -> Text {
        let fill = self.width.saturating_sub(prefix.len() + body.len());
        let mut text = Text::default();
        if !self.left && !self.zero {
            text.put_repeated(b' ', fill);
        }
        text.put(prefix.as_bytes());
        if !self.left && self.zero {
            text.put_repeated(b'0', fill);
        }
        text.put(body);
        if self.left {
            text.put_repeated(b' ', fill);
        }
        text
    }
}

/// `%.Ng`.
pub(in crate::script) fn general(value: f64, precision: usize) -> Text {
    Spec { precision: Some(precision), ..Spec::default() }.float(b'g', value)
}

/// The digits `d.ddd` and the decimal exponent.
fn scientific(value: f64, precision: usize) -> (Text, i32) {
    let mut text = Text::default();
    text.put_fmt(format_args!("{value:.precision$e}"));
    let bytes = text.as_slice();
    let letter = bytes.iter().rposition(|&byte| byte == b'e').unwrap_or(bytes.len());
    let exponent = std::str::from_utf8(&bytes[(letter + 1).min(bytes.len())..])
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    text.length = letter;
    (text, exponent)
}

fn put_exponent(body: &mut Text, exponent: i32) {
    let sign = if exponent < 0 { '-' } else { '+' };
    body.put_fmt(format_args!("e{sign}{:02}", exponent.unsigned_abs()));
}

#[cfg(test)]
mod tests {
    use std::ffi::{CString, c_char, c_int};

    use super::*;

    unsafe extern "C" {
        fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    }

    fn c_text(format: &str, value: f64) -> String {
        let format = CString::new(format).unwrap();
        let mut buffer = [0u8; 600];
        // SAFETY: the formats of this test take exactly one double, and the buffer's size is given.
        unsafe { snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), value) };
        let end = buffer.iter().position(|&byte| byte == 0).unwrap();
        String::from_utf8(buffer[..end].to_vec()).unwrap()
    }

    fn parse(format: &str) -> (Spec, u8) {
        let inner = &format[1..format.len() - 1];
        let flags = inner.find(|c| !"-+ #0".contains(c)).unwrap_or(inner.len());
        let (flags, rest) = inner.split_at(flags);
        let (width, precision) = match rest.split_once('.') {
            Some((width, precision)) => (width, Some(precision.parse().unwrap_or(0))),
            None => (rest, None),
        };
        let spec = Spec {
            left: flags.contains('-'),
            plus: flags.contains('+'),
            space: flags.contains(' '),
            alternate: flags.contains('#'),
            zero: flags.contains('0'),
            width: width.parse().unwrap_or(0),
            precision,
        };
        (spec, format.as_bytes()[format.len() - 1])
    }

    #[test]
    fn floats_read_as_the_c_library_prints_them() {
        let mut values = vec![
            0.0,
            -0.0,
            0.5,
            1.5,
            2.5,
            0.125,
            0.375,
            0.1,
            9.5,
            99.5,
            0.99999,
            1e15,
            1e16,
            1e17,
            123456789.0,
            1e100,
            1e-5,
            0.0001,
            0.00012345,
            5e-324,
            1.7976931348623157e308,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            4503599627370497.5,
            2f64.powi(53),
            1.0 / 3.0,
        ];
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..2_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            values.push(f64::from_bits(seed));
            values.push((seed % 2_000_000) as f64 / 1024.0);
        }
        let formats = [
            "%.14g", "%.17g", "%g", "%#g", "%.0g", "%#.3g", "%G", "%e", "%.0e", "%#.0e", "%+.2e", "%E", "%f",
            "%.0f", "%#.0f", "%10.3f", "%-12.2f", "%012.4f", "% .1f", "%+020g", "%99.99f", "%.99g",
            "%-+5.1e", "%03.99e",
        ];
        for format in formats {
            let (spec, letter) = parse(format);
            for &value in &values {
                let ours = String::from_utf8(spec.float(letter, value).as_slice().to_vec()).unwrap();
                assert_eq!(ours, c_text(format, value), "{format} of {value:?}");
            }
        }
    }

    #[test]
    fn integers_read_as_the_c_library_prints_them() {
        let values = [0, 1, -1, 8, 255, 1 << 40, i64::MAX, i64::MIN];
        let formats = [
            "", "5", "-5", "05", "+", " ", ".0", ".3", "#", "#.0", "08.3", "-08", "+.0", "#20", "#020",
            "# 5.4",
        ];
        for format in formats {
            for letter in ["d", "u", "o", "x", "X"] {
                for value in values {
                    let c_format = CString::new(format!("%{format}l{letter}")).unwrap();
                    let mut buffer = [0u8; 200];
                    // SAFETY: the format takes exactly one long, and the buffer's size is given.
                    unsafe { snprintf(buffer.as_mut_ptr().cast(), buffer.len(), c_format.as_ptr(), value) };
                    let end = buffer.iter().position(|&byte| byte == 0).unwrap();
                    let (spec, _) = parse(&format!("%{format}d"));
                    let ours = match letter {
                        "d" => spec.signed(value),
                        _ => spec.unsigned(letter.as_bytes()[0], value as u64),
                    };
                    assert_eq!(
                        String::from_utf8_lossy(ours.as_slice()),
                        String::from_utf8_lossy(&buffer[..end]),
                        "%{format}{letter} of {value}"
                    );
                }
            }
        }
    }
}
