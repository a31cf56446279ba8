//! `struct`: binary records by a format string, as C lays them out on a 64-bit little-endian machine.

use std::ffi::c_int;

use super::Libraries;
use super::scratch::Scratch;
use super::stack::{Stack, decimal, function, to_i64, to_u64, until_nul};

/// Bytes of the widest integer.
const INTEGER_BYTES_MAX: usize = 32;
/// The alignment that a bare `!` asks for: that of a double.
const ALIGNMENT: c_int = 8;

/// Leaves the library's table on the stack.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_table(0, 3);
    lua.push_light(libraries.cast());
    lua.set_function(c"pack", function(pack), 1);
    lua.set_function(c"unpack", function(unpack), 1);
    lua.set_function(c"size", function(size), 1);
    lua.pop(1);
}

/// A format string being read, and the settings it has made so far.
struct Format<'a> {
    lua: Stack,
    text: &'a [u8],
    at: usize,
    big_endian: bool,
    alignment: usize,
}

impl<'a> Format<'a> {
    fn new(lua: Stack) -> Self {
        let text = until_nul(lua.check_bytes(1));
        Self { lua, text, at: 0, big_endian: false, alignment: 1 }
    }

    /// The next option and its size in bytes, 0 where that depends on the data or there is none.
    fn next(&mut self) -> Option<(u8, usize)> {
        let option = *self.text.get(self.at)?;
        self.at += 1;
        let size = match option {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'f' => 4,
            b'l' | b'L' | b'T' | b'd' => 8,
            b'c' => self.number(1) as usize,
            b'i' | b'I' => {
                let size = self.number(4);
                if size as usize > INTEGER_BYTES_MAX {
                    let (size, most) = (decimal(size), decimal(INTEGER_BYTES_MAX as i64));
                    self.lua.raise(&[
                        b"integral size ",
                        size.as_slice(),
                        b" is larger than limit of ",
                        most.as_slice(),
                    ]);
                }
                size as usize
            }
            _ => 0,
        };
        Some((option, size))
    }

    /// The number that follows, or `default`. Never negative.
    fn number(&mut self, default: c_int) -> c_int {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit());
        let mut number: Option<c_int> = None;
        for digit in digits {
            self.at += 1;
            let grown = number.unwrap_or(0).checked_mul(10);
            let grown = grown.and_then(|grown| grown.checked_add((digit - b'0').into()));
            match grown {
                Some(grown) => number = Some(grown),
                None => self.lua.raise(&[b"integral size overflow"]),
            }
        }
        number.unwrap_or(default)
    }

    /// Bytes of padding that the option needs at an offset.
    fn padding(&self, offset: u64, option: u8, size: usize) -> usize {
        if size == 0 || option == b'c' {
            return 0;
        }
        let size = size.min(self.alignment);
        // As the servers compute it, also where the size is no power of 2.
        size.wrapping_sub(offset as usize & (size - 1)) & (size - 1)
    }

    /// An option that moves no data.
    fn control(&mut self, option: u8) {
        match option {
            b' ' => {}
            b'>' => self.big_endian = true,
            b'<' => self.big_endian = false,
            b'!' => {
                let alignment = self.number(ALIGNMENT);
                if alignment <= 0 || alignment & (alignment - 1) != 0 {
                    let alignment = decimal(alignment);
                    self.lua.raise(&[b"alignment ", alignment.as_slice(), b" is not a power of 2"]);
                }
                self.alignment = alignment as usize;
            }
            _ => self.lua.argument_error(1, &[b"invalid format option '", &[option], b"'"]),
        }
    }

    /// Bytes between the byte order of the format and little-endian.
    fn order(&self, bytes: &mut [u8]) {
        if self.big_endian {
            bytes.reverse();
        }
    }
}

fn pack(lua: Stack) -> c_int {
    let mut format = Format::new(lua);
    // A missing argument shows as nil.
    lua.push_nil();
    let mut out = Scratch::new(lua, 64);
    let mut argument = 1;
    while let Some((option, size)) = format.next() {
        out.extend_repeated(&[0], format.padding(out.len() as u64, option, size));
        match option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                argument += 1;
                put_integer(lua, &format, &mut out, argument, size);
            }
            b'x' => out.push(0),
            b'f' => {
                argument += 1;
                let mut bytes = (lua.check_number(argument) as f32).to_le_bytes();
                format.order(&mut bytes);
                out.extend(&bytes);
            }
            b'd' => {
                argument += 1;
                let mut bytes = lua.check_number(argument).to_le_bytes();
                format.order(&mut bytes);
                out.extend(&bytes);
            }
            b'c' | b's' => {
                argument += 1;
                let text = lua.check_bytes(argument);
                let size = if size == 0 { text.len() } else { size };
                if text.len() < size {
                    // The servers blame the argument after it.
                    lua.argument_error(argument + 1, &[b"string too short"]);
                }
                out.extend(&text[..size]);
                if option == b's' {
                    out.push(0);
                }
            }
            _ => format.control(option),
        }
    }
    out.push_string();
    1
}

fn put_integer(lua: Stack, format: &Format<'_>, out: &mut Scratch<u8>, argument: c_int, size: usize) {
    let number = lua.check_number(argument);
    let value = if number < 0.0 { to_i64(number) as u64 } else { to_u64(number) };
    // Beyond 64 bits there are only zeros, also for a negative number.
    let mut bytes = [0; INTEGER_BYTES_MAX];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    format.order(&mut bytes[..size]);
    out.extend(&bytes[..size]);
}

fn unpack(lua: Stack) -> c_int {
    let mut format = Format::new(lua);
    let data = lua.check_bytes(2);
    // An offset below 0 is, unsigned, far behind the end.
    let start = lua.optional_i64(3, 1) as u64;
    if start == 0 {
        lua.argument_error(3, &[b"offset must be 1 or greater"]);
    }
    let mut at = start - 1;
    let mut count = 0;
    while let Some((option, size)) = format.next() {
        at = at.wrapping_add(format.padding(at, option, size) as u64);
        let mut bytes = slice(lua, data, at, size);
        lua.check_reserve(2, c"too many results");
        match option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                lua.push_number(integer(bytes, format.big_endian, option.is_ascii_lowercase()));
                count += 1;
            }
            b'x' => {}
            b'f' => {
                lua.push_number(f32::from_le_bytes(ordered(&format, bytes)).into());
                count += 1;
            }
            b'd' => {
                lua.push_number(f64::from_le_bytes(ordered(&format, bytes)));
                count += 1;
            }
            b'c' => {
                if size == 0 {
                    if count == 0 || !lua.is_number(-1) {
                        lua.raise(&[b"format 'c0' needs a previous size"]);
                    }
                    let size = usize::try_from(to_u64(lua.number(-1))).unwrap_or(usize::MAX);
                    lua.pop(1);
                    count -= 1;
                    bytes = slice(lua, data, at, size);
                }
                lua.push_bytes(bytes);
                count += 1;
            }
            b's' => {
                let rest = &data[at as usize..];
                let Some(length) = rest.iter().position(|&byte| byte == 0) else {
                    lua.raise(&[b"unfinished string in data"])
                };
                lua.push_bytes(&rest[..length]);
                count += 1;
                bytes = &rest[..=length];
            }
            _ => format.control(option),
        }
        at = at.wrapping_add(bytes.len() as u64);
    }
    lua.push_number(at.wrapping_add(1) as i64 as f64);
    count + 1
}

fn slice(lua: Stack, data: &[u8], at: u64, size: usize) -> &[u8] {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    match data.get(at..).and_then(|rest| rest.get(..size)) {
        Some(slice) => slice,
        None => lua.argument_error(2, &[b"data string too short"]),
    }
}

fn ordered<const N: usize>(format: &Format<'_>, bytes: &[u8]) -> [u8; N] {
    let mut ordered = [0; N];
    ordered.copy_from_slice(bytes);
    format.order(&mut ordered);
    ordered
}

/// Of an integer wider than 64 bits the low 64 bits count.
fn integer(bytes: &[u8], big_endian: bool, signed: bool) -> f64 {
    let mut value: u64 = 0;
    let mut add = |byte: &u8| value = value << 8 | u64::from(*byte);
    if big_endian {
        bytes.iter().for_each(&mut add);
    } else {
        bytes.iter().rev().for_each(&mut add);
    }
    if !signed {
        return value as f64;
    }
    // The shift wraps around as the processor's does.
    let mask = u64::MAX.wrapping_shl((bytes.len() as u32 * 8).wrapping_sub(1));
    if value & mask != 0 {
        value |= mask;
    }
    value as i64 as f64
}

fn size(lua: Stack) -> c_int {
    let mut format = Format::new(lua);
    let mut total: u64 = 0;
    while let Some((option, size)) = format.next() {
        total += format.padding(total, option, size) as u64;
        if option == b's' {
            lua.argument_error(1, &[b"option 's' has no fixed size"]);
        }
        if option == b'c' && size == 0 {
            lua.argument_error(1, &[b"option 'c0' has no fixed size"]);
        }
        if !option.is_ascii_alphanumeric() {
            format.control(option);
        }
        total += size as u64;
    }
    lua.push_number(total as f64);
    1
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn wide_integers_are_cut_to_their_low_64_bits() {
        assert_eq!(integer(&[1; 9], true, true), -127.0);
        assert_eq!(integer(&[0xff; 16], false, true), -1.0);
    }
}
