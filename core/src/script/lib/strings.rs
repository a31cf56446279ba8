//! `string`: the functions that Lua's own library would let run or grow without end, with work and size counted.
//!
//! find, match, gmatch, gsub (the matcher counts its steps), rep (bounded), format (bounded; and its integers have the
//! server's 64 bits also in WebAssembly, where C's `long` has 32). The others are Lua's own.

use std::ffi::c_int;

use mlua::ffi::{LUA_TFUNCTION, LUA_TNUMBER, LUA_TSTRING, LUA_TTABLE};

use super::Libraries;
use super::matcher::Matcher;
use super::printf::Spec;
use super::scratch::Scratch;
use super::stack::{Stack, function, to_i64, to_u64, until_nul, upvalue};
use crate::limits::{SCRIPT_STEPS_PER_INSTRUCTION, SCRIPT_STRING_BYTES_MAX};

/// Replaces functions of the `string` table on top.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_light(libraries.cast());
    lua.set_function(c"find", function(|lua| search(lua, true)), 1);
    lua.set_function(c"match", function(|lua| search(lua, false)), 1);
    lua.set_function(c"gmatch", function(gmatch), 1);
    lua.set_function(c"gsub", function(gsub), 1);
    lua.set_function(c"rep", function(rep), 1);
    lua.set_function(c"format", function(format), 1);
    lua.pop(1);
    // The old name is the same function.
    lua.get_field(-1, c"gmatch");
    lua.set_field(-2, c"gfind");
}

/// `find` and `match`.
fn search(lua: Stack, find: bool) -> c_int {
    let subject = lua.check_bytes(1);
    let pattern = lua.check_bytes(2);
    let start = from_start(lua.optional_i64(3, 1), subject.len());
    if find && (lua.truth(4) || !has_specials(pattern)) {
        let Some(found) = find_plain(lua, subject, pattern, start) else {
            lua.push_nil();
            return 1;
        };
        lua.push_number(found as f64 + 1.0);
        lua.push_number((found + pattern.len()) as f64);
        return 2;
    }
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(lua, subject, pattern);
    matcher.reserve();
    for at in start..=subject.len() {
        if let Some(end) = matcher.match_at(at, anchored.into()) {
            if !find {
                return matcher.push_captures(Some((at, end)));
            }
            lua.push_number(at as f64 + 1.0);
            lua.push_number(end as f64);
            return matcher.push_captures(None) + 2;
        }
        if anchored {
            break;
        }
    }
    lua.push_nil();
    1
}

/// A start position as scripts give it (1 is the first byte, -1 the last) as an offset within 0..=length.
fn from_start(position: i64, length: usize) -> usize {
    let position = if position < 0 { position.saturating_add(length as i64 + 1) } else { position };
    usize::try_from(position.max(1) - 1).map_or(length, |offset| offset.min(length))
}

fn has_specials(pattern: &[u8]) -> bool {
    until_nul(pattern).iter().any(|byte| b"^$*+?.([%-".contains(byte))
}

fn find_plain(lua: Stack, subject: &[u8], wanted: &[u8], start: usize) -> Option<usize> {
    let Some((&first, rest)) = wanted.split_first() else { return Some(start) };
    let last = subject.len().checked_sub(wanted.len())?;
    lua.charge_bytes(subject.len() - start);
    let mut steps = 0;
    let mut at = start;
    while at <= last {
        at += subject[at..=last].iter().position(|&byte| byte == first)?;
        let same = subject[at + 1..].iter().zip(rest).take_while(|(a, b)| a == b).count();
        if same == rest.len() {
            return Some(at);
        }
        // Bytes are compared many at a time.
        steps += same as u64 / 16 + 1;
        if steps >= 4_096 {
            lua.charge(std::mem::take(&mut steps) / SCRIPT_STEPS_PER_INSTRUCTION);
        }
        at += 1;
    }
    None
}

fn gmatch(lua: Stack) -> c_int {
    lua.check_bytes(1);
    lua.check_bytes(2);
    lua.set_top(2);
    lua.copy(upvalue(1));
    lua.insert(1);
    lua.push_number(0.0);
    lua.push_closure(function(gmatch_next), 4);
    1
}

/// The iterator: upvalues are the library state, subject, pattern and the offset to go on from.
fn gmatch_next(lua: Stack) -> c_int {
    let subject = lua.bytes(upvalue(2)).unwrap_or_default();
    let pattern = lua.bytes(upvalue(3)).unwrap_or_default();
    let start = lua.number(upvalue(4)) as usize;
    let mut matcher = Matcher::new(lua, subject, pattern);
    matcher.reserve();
    for at in start..=subject.len() {
        // An anchor has no meaning here: ^ stands for itself.
        if let Some(end) = matcher.match_at(at, 0) {
            lua.push_number(if end == at { end + 1 } else { end } as f64);
            lua.replace(upvalue(4));
            return matcher.push_captures(Some((at, end)));
        }
    }
    0
}

fn gsub(lua: Stack) -> c_int {
    let subject = lua.check_bytes(1);
    let pattern = lua.check_bytes(2);
    let kind = lua.kind(3);
    let count_max = lua.optional_int(4, (subject.len() as c_int).wrapping_add(1));
    if !matches!(kind, LUA_TNUMBER | LUA_TSTRING | LUA_TFUNCTION | LUA_TTABLE) {
        lua.argument_error(3, &[b"string/function/table expected"]);
    }
    if kind == LUA_TNUMBER {
        // Now the replacement's bytes stay where they are.
        lua.bytes(3);
    }
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(lua, subject, pattern);
    matcher.reserve();
    let mut out = Scratch::new(lua, subject.len().max(64));
    let mut at = 0;
    let mut count = 0;
    while count < count_max {
        let end = matcher.match_at(at, anchored.into());
        if let Some(end) = end {
            count += 1;
            add_replacement(lua, &matcher, &mut out, at, end);
        }
        match end {
            Some(end) if end > at => at = end,
            _ if at < subject.len() => {
                out.push(subject[at]);
                at += 1;
            }
            _ => break,
        }
        if anchored {
            break;
        }
    }
    out.extend(&subject[at..]);
    out.push_string();
    lua.push_number(count.into());
    2
}

fn add_replacement(lua: Stack, matcher: &Matcher<'_>, out: &mut Scratch<u8>, start: usize, end: usize) {
    match lua.kind(3) {
        LUA_TFUNCTION => {
            lua.copy(3);
            let count = matcher.push_captures(Some((start, end)));
            lua.call(count, 1);
        }
        LUA_TTABLE => {
            matcher.push_capture(0, start, end);
            lua.get(3);
        }
        _ => return add_template(lua, matcher, out, start, end),
    }
    if !lua.truth(-1) {
        out.extend(&matcher.subject[start..end]);
    } else if lua.is_string(-1) {
        out.extend_pushed(lua);
    } else {
        lua.raise(&[b"invalid replacement value (a ", lua.type_name(-1), b")"]);
    }
    lua.pop(1);
}

/// A replacement text in which `%1` stands for a capture.
fn add_template(lua: Stack, matcher: &Matcher<'_>, out: &mut Scratch<u8>, start: usize, end: usize) {
    let template = lua.bytes(3).unwrap_or_default();
    let mut place = 0;
    while let Some(&byte) = template.get(place) {
        place += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        // A % at the very end stands for the NUL that C strings end with.
        match template.get(place).copied().unwrap_or(0) {
            b'0' => out.extend(&matcher.subject[start..end]),
            digit @ b'1'..=b'9' => {
                matcher.push_capture(usize::from(digit - b'1'), start, end);
                out.extend_pushed(lua);
                lua.pop(1);
            }
            other => out.push(other),
        }
        place += 1;
    }
}

impl Scratch<u8> {
    /// Appends the string or number on top, which stays.
    fn extend_pushed(&mut self, lua: Stack) {
        self.extend(lua.bytes(-1).unwrap_or_default());
    }
}

fn rep(lua: Stack) -> c_int {
    let text = lua.check_bytes(1);
    let count = usize::try_from(lua.check_int(2)).unwrap_or(0);
    let length = text.len().saturating_mul(count);
    if length > SCRIPT_STRING_BYTES_MAX {
        lua.raise(&[b"resulting string too large"]);
    }
    let mut out = Scratch::new(lua, length.max(1));
    out.extend_repeated(text, count);
    out.push_string();
    1
}

fn format(lua: Stack) -> c_int {
    let top = lua.top();
    let template = lua.check_bytes(1);
    let mut out = Scratch::new(lua, template.len().max(128));
    let mut argument = 1;
    let mut place = 0;
    while let Some(&byte) = template.get(place) {
        place += 1;
        if byte != b'%' {
            out.push(byte);
        } else if template.get(place) == Some(&b'%') {
            out.push(b'%');
            place += 1;
        } else {
            argument += 1;
            if argument > top {
                lua.argument_error(argument, &[b"no value"]);
            }
            let (spec, length) = parse_spec(lua, &template[place..]);
            let letter = template.get(place + length).copied().unwrap_or(0);
            add_item(lua, &mut out, spec, letter, argument);
            place += length + 1;
        }
    }
    out.push_string();
    1
}

/// Flags, width and precision at the start of `text`, and how long they are.
fn parse_spec(lua: Stack, text: &[u8]) -> (Spec, usize) {
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
    let mut spec = Spec::default();
    let mut place = 0;
    loop {
        match at(place) {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        place += 1;
    }
    if place > 5 {
        lua.raise(&[b"invalid format (repeated flags)"]);
    }
    let two_digits = |place: &mut usize| {
        let mut number = 0;
        for _ in 0..2 {
            if at(*place).is_ascii_digit() {
                number = number * 10 + usize::from(at(*place) - b'0');
                *place += 1;
            }
        }
        number
    };
    spec.width = two_digits(&mut place);
    if at(place) == b'.' {
        place += 1;
        spec.precision = Some(two_digits(&mut place));
    }
    if at(place).is_ascii_digit() {
        lua.raise(&[b"invalid format (width or precision too long)"]);
    }
    (spec, place)
}

fn add_item(lua: Stack, out: &mut Scratch<u8>, spec: Spec, letter: u8, argument: c_int) {
    let text = match letter {
        b'c' => {
            // Through an int of C, whose least number stands for all that is out of range.
            let number = to_i64(lua.check_number(argument));
            let byte = [i32::try_from(number).unwrap_or(i32::MIN) as u8];
            Spec { precision: None, ..spec }.bytes(&byte)
        }
        b'd' | b'i' => spec.signed(to_i64(lua.check_number(argument))),
        b'o' | b'u' | b'x' | b'X' => spec.unsigned(letter, to_u64(lua.check_number(argument))),
        b'e' | b'E' | b'f' | b'g' | b'G' => spec.float(letter, lua.check_number(argument)),
        b'q' => return add_quoted(lua, out, argument),
        b's' => {
            let bytes = lua.check_bytes(argument);
            if spec.precision.is_none() && bytes.len() >= 100 {
                // Long strings are taken as they are, with their NULs.
                return out.extend(bytes);
            }
            spec.bytes(until_nul(bytes))
        }
        other => {
            let other = [other];
            lua.raise(&[b"invalid option '%", until_nul(&other), b"' to 'format'"])
        }
    };
    out.extend(until_nul(text.as_slice()));
}

/// `%q`: the string as Lua source.
fn add_quoted(lua: Stack, out: &mut Scratch<u8>, argument: c_int) {
    out.push(b'"');
    for &byte in lua.check_bytes(argument) {
        match byte {
            b'"' | b'\\' | b'\n' => out.extend(&[b'\\', byte]),
            b'\r' => out.extend(b"\\r"),
            0 => out.extend(b"\\000"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
