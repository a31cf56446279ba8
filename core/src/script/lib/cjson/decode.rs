//! `cjson.decode`, without recursion: an open array or object leaves a frame behind, and itself on the Lua stack.

use std::ffi::c_int;

use super::super::scratch::Scratch;
use super::super::stack::{Stack, decimal};
use super::{CjsonConfig, config, number, push_array_metatable};

/// Values between two charges, and what one costs in instructions.
const CHARGE_VALUES: u64 = 64;
const VALUE_INSTRUCTIONS: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    /// Its value is on the Lua stack; so are those of the next three.
    String,
    Number,
    Boolean,
    Null,
    Colon,
    Comma,
    End,
    Wrong(&'static str),
}

impl Token {
    fn name(self) -> &'static str {
        match self {
            Self::ObjectBegin => "T_OBJ_BEGIN",
            Self::ObjectEnd => "T_OBJ_END",
            Self::ArrayBegin => "T_ARR_BEGIN",
            Self::ArrayEnd => "T_ARR_END",
            Self::String => "T_STRING",
            Self::Number => "T_NUMBER",
            Self::Boolean => "T_BOOLEAN",
            Self::Null => "T_NULL",
            Self::Colon => "T_COLON",
            Self::Comma => "T_COMMA",
            Self::End => "T_END",
            Self::Wrong(reason) => reason,
        }
    }
}

/// A container in work; it lies on the Lua stack, and for an object the key of the coming value above it.
#[derive(Clone, Copy)]
enum Frame {
    Array { length: c_int },
    Object,
}

struct Decoder<'a> {
    lua: Stack,
    config: &'a CjsonConfig,
    text: &'a [u8],
    at: usize,
    /// Where the latest token begins.
    token_at: usize,
    unescaped: Scratch<u8>,
    frames: Scratch<Frame>,
    values: u64,
}

pub(super) fn decode(lua: Stack) -> c_int {
    if lua.top() != 1 {
        lua.argument_error(1, &[b"expected 1 argument"]);
    }
    let text = lua.check_bytes(1);
    if text.len() >= 2 && (text[0] == 0 || text[1] == 0) {
        lua.raise(&[b"JSON parser does not support UTF-16 or UTF-32"]);
    }
    lua.charge_bytes(text.len());
    let mut decoder = Decoder {
        lua,
        config: config(lua),
        text,
        at: 0,
        token_at: 0,
        unescaped: Scratch::in_upvalue(lua, 3, 64),
        frames: Scratch::in_upvalue(lua, 4, 16),
        values: 0,
    };
    decoder.document();
    decoder.unescaped.release();
    decoder.frames.release();
    1
}

impl Decoder<'_> {
    /// Leaves the document's value on the stack.
    fn document(&mut self) {
        let mut token = self.token();
        loop {
            // Here a value is due.
            if !self.value(token) {
                if let Some(first) = self.first_in_container() {
                    token = first;
                    continue;
                }
                self.end_empty();
            }
            // Here a value is complete, on top of the stack.
            match self.after_value() {
                Some(next) => token = next,
                None => return,
            }
        }
    }

    /// Pushes a value; false where it only begins here, as a container does.
    fn value(&mut self, token: Token) -> bool {
        self.values += 1;
        if self.values.is_multiple_of(CHARGE_VALUES) {
            self.lua.charge(CHARGE_VALUES * VALUE_INSTRUCTIONS);
        }
        match token {
            Token::String | Token::Number | Token::Boolean | Token::Null => true,
            Token::ArrayBegin => {
                self.descend(2, Frame::Array { length: 0 });
                false
            }
            Token::ObjectBegin => {
                self.descend(3, Frame::Object);
                false
            }
            other => self.fail("value", other),
        }
    }

    fn descend(&mut self, slots: c_int, frame: Frame) {
        let depth = self.frames.len() as c_int + 1;
        if depth > self.config.decode_depth_max || !self.lua.reserve(slots) {
            let (depth, at) = (decimal(depth), decimal(self.at as i64));
            self.lua.raise(&[
                b"Found too many nested data structures (",
                depth.as_slice(),
                b") at character ",
                at.as_slice(),
            ]);
        }
        self.frames.push(frame);
        self.lua.push_table(0, 0);
        // For what is looked up along the way; near the limit the spare slots of every stack do.
        self.lua.reserve(8);
    }

    /// Behind an opening bracket: the token of the first value (its key, for an object, is pushed), or nothing where the
    /// container ends at once.
    fn first_in_container(&mut self) -> Option<Token> {
        let token = self.token();
        match self.frames.last_mut() {
            Some(Frame::Object) => (token != Token::ObjectEnd).then(|| self.key(token)),
            _ => (token != Token::ArrayEnd).then_some(token),
        }
    }

    /// Ends a container that has nothing in it: an array is marked as one, if that is wished.
    fn end_empty(&mut self) {
        let frame = self.frames.pop();
        if self.config.array_metatable && matches!(frame, Some(Frame::Array { .. })) {
            push_array_metatable(self.lua);
            self.lua.set_metatable(-2);
        }
    }

    /// Takes a key's token, and answers the token of its value.
    fn key(&mut self, token: Token) -> Token {
        if token != Token::String {
            self.fail("object key string", token);
        }
        let token = self.token();
        if token != Token::Colon {
            self.fail("colon", token);
        }
        self.token()
    }

    /// Stores the value on top in its container, as often as containers end, and answers the token of the next value.
    fn after_value(&mut self) -> Option<Token> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                let token = self.token();
                if token != Token::End {
                    self.fail("the end", token);
                }
                return None;
            };
            let (end, expected) = match frame {
                Frame::Array { length } => {
                    *length += 1;
                    self.lua.raw_set_at(-2, *length);
                    (Token::ArrayEnd, "comma or array end")
                }
                Frame::Object => {
                    self.lua.raw_set(-3);
                    (Token::ObjectEnd, "comma or object end")
                }
            };
            let token = self.token();
            if token == end {
                self.frames.pop();
                continue;
            }
            if token != Token::Comma {
                self.fail(expected, token);
            }
            let token = self.token();
            return Some(if end == Token::ObjectEnd { self.key(token) } else { token });
        }
    }

    fn fail(&self, expected: &str, found: Token) -> ! {
        let at = decimal(self.token_at as i64 + 1);
        self.lua.raise(&[
            b"Expected ",
            expected.as_bytes(),
            b" but found ",
            found.name().as_bytes(),
            b" at character ",
            at.as_slice(),
        ])
    }

    /// The byte at a place; the NUL that ends every string past the end.
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Reads a token and pushes its value, if it has one.
    fn token(&mut self) -> Token {
        while matches!(self.byte(self.at), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.token_at = self.at;
        let simple = match self.byte(self.at) {
            b'{' => Token::ObjectBegin,
            b'}' => Token::ObjectEnd,
            b'[' => Token::ArrayBegin,
            b']' => Token::ArrayEnd,
            b',' => Token::Comma,
            b':' => Token::Colon,
            0 => Token::End,
            b'"' => return self.string(),
            b'-' | b'0'..=b'9' => {
                if !self.config.decode_invalid && self.is_invalid_number() {
                    return Token::Wrong("invalid number");
                }
                return self.number();
            }
            b'+' | b'f' | b'i' | b'I' | b'n' | b'N' | b't' => return self.word(),
            _ => return Token::Wrong("invalid token"),
        };
        self.at += 1;
        simple
    }

    fn word(&mut self) -> Token {
        let rest = &self.text[self.at..];
        let (length, token) = if rest.starts_with(b"true") {
            self.lua.push_bool(true);
            (4, Token::Boolean)
        } else if rest.starts_with(b"false") {
            self.lua.push_bool(false);
            (5, Token::Boolean)
        } else if rest.starts_with(b"null") {
            self.lua.push_light(std::ptr::null_mut());
            (4, Token::Null)
        } else if self.config.decode_invalid && self.is_invalid_number() {
            return self.number();
        } else {
            return Token::Wrong("invalid token");
        };
        self.at += length;
        token
    }

    /// Whether what looks like a number is one that JSON does not know.
    fn is_invalid_number(&self) -> bool {
        let rest = &self.text[self.at..];
        let rest = match rest {
            [b'+', ..] => return true,
            [b'-', rest @ ..] => rest,
            _ => rest,
        };
        match rest {
            [b'0', b'x' | b'X' | b'0'..=b'9', ..] => true,
            [first, ..] if *first <= b'9' => false,
            [a, b, c, ..] => {
                let word = [a, b, c].map(u8::to_ascii_lowercase);
                &word == b"inf" || &word == b"nan"
            }
            _ => false,
        }
    }

    fn number(&mut self) -> Token {
        let Some((number, length)) = number::parse(&self.text[self.at..]) else {
            return Token::Wrong("invalid number");
        };
        self.at += length;
        self.lua.push_number(number);
        Token::Number
    }

    /// A mistake in a string is reported where it is, not where the string begins.
    fn wrong_here(&mut self, reason: &'static str) -> Token {
        self.token_at = self.at;
        Token::Wrong(reason)
    }

    fn string(&mut self) -> Token {
        self.at += 1;
        self.unescaped.clear();
        let mut plain = self.at;
        loop {
            match self.byte(self.at) {
                b'"' => break,
                0 => return self.wrong_here("unexpected end of string"),
                b'\\' => {
                    self.unescaped.extend(&self.text[plain..self.at]);
                    let byte = match self.byte(self.at + 1) {
                        same @ (b'"' | b'\\' | b'/') => same,
                        b'b' => b'\x08',
                        b'f' => b'\x0c',
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'u' => {
                            if !self.unicode_escape() {
                                return self.wrong_here("invalid unicode escape code");
                            }
                            plain = self.at;
                            continue;
                        }
                        _ => return self.wrong_here("invalid escape code"),
                    };
                    self.unescaped.push(byte);
                    self.at += 2;
                    plain = self.at;
                }
                _ => self.at += 1,
            }
        }
        let rest = &self.text[plain..self.at];
        if self.unescaped.len() == 0 {
            self.lua.push_bytes(rest);
        } else {
            self.unescaped.extend(rest);
            self.lua.push_bytes(self.unescaped.as_slice());
        }
        self.at += 1;
        Token::String
    }

    /// `\uXXXX`, or a pair of surrogates; false where it is neither.
    fn unicode_escape(&mut self) -> bool {
        let Some(first) = self.hex4(self.at + 2) else { return false };
        let mut code = first;
        let mut length = 6;
        if first & 0xF800 == 0xD800 {
            let low = match (self.byte(self.at + 6), self.byte(self.at + 7)) {
                (b'\\', b'u') => self.hex4(self.at + 8),
                _ => None,
            };
            match low {
                Some(low) if first & 0x400 == 0 && low & 0xFC00 == 0xDC00 => {
                    code = 0x10000 + ((first & 0x3FF) << 10) + (low & 0x3FF);
                    length = 12;
                }
                _ => return false,
            }
        }
        let Some(character) = char::from_u32(code) else { return false };
        self.unescaped.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += length;
        true
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, &digit| Some(code << 4 | char::from(digit).to_digit(16)?))
    }
}
