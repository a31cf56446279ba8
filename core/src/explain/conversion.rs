//! How a Lua value becomes a reply, line by line: what is kept, what is dropped, and the rule's name.
//!
//! Follows the rules that `script::convert` carries out; a test holds the two against each other.

use std::fmt::Write as _;

use crate::lua::{LuaTable, LuaText, LuaValue};
use crate::profile::Version;
use crate::resp::{Protocol, push_quoted};
use crate::value::number::format_f64;

/// A Lua value on the left and the reply on the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// How many tables it lies in.
    pub depth: usize,
    /// The Lua value, in pieces: those that are not kept are struck out.
    pub lua: Vec<Piece>,
    /// As redis-cli shows it; None where nothing comes of the value.
    pub reply: Option<String>,
    pub rule: Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub kept: bool,
}

/// Which of Redis's rules of conversion was at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    Integer,
    NumberCut,
    /// The number is too large for 64 bits, or not a number.
    NumberOutOfRange,
    /// Beyond 2^53 a Lua number has no longer all its digits.
    NumberRounded,
    String,
    True,
    False,
    Boolean,
    Nil,
    Array,
    BehindNil,
    FieldDropped,
    Status,
    Error,
    Double,
    Map,
    Set,
    BigNumber,
    Verbatim,
    /// Functions, threads and userdata have no form as a reply.
    NoForm,
    /// More than is shown.
    Left,
}

impl Rule {
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "a number becomes an integer",
            Self::NumberCut => "the decimals are cut off",
            Self::NumberOutOfRange => "it fits no 64-bit integer",
            Self::NumberRounded => "beyond 2^53 digits are lost",
            Self::String => "a string stays as it is",
            Self::True => "true becomes 1",
            Self::False => "false becomes nil",
            Self::Boolean => "a boolean stays one in RESP3",
            Self::Nil => "nil stays nil",
            Self::Array => "a table becomes an array",
            Self::BehindNil => "the array ends at the first nil",
            Self::FieldDropped => "fields with names are dropped",
            Self::Status => "a field ok makes a status",
            Self::Error => "a field err makes an error",
            Self::Double => "a field double makes a double",
            Self::Map => "a field map makes a map",
            Self::Set => "a field set makes a set",
            Self::BigNumber => "a field big_number makes a big number",
            Self::Verbatim => "a field verbatim_string makes a verbatim string",
            Self::NoForm => "it has no form as a reply",
            Self::Left => "more than is shown",
        }
    }

    /// Whether something of the value does not reach the client as it was.
    pub fn loses(self) -> bool {
        matches!(
            self,
            Self::NumberCut
                | Self::NumberOutOfRange
                | Self::NumberRounded
                | Self::False
                | Self::BehindNil
                | Self::FieldDropped
                | Self::NoForm
        )
    }
}

impl Conversion {
    pub fn of(value: &LuaValue, protocol: Protocol) -> Self {
        let mut conversion = Self::default();
        conversion.value("", value, 0, protocol);
        conversion
    }

    pub fn has(&self, rule: Rule) -> bool {
        self.lines.iter().any(|line| line.rule == rule)
    }

    /// The first line made by a rule.
    pub fn by(&self, rule: Rule) -> Option<&Line> {
        self.lines.iter().find(|line| line.rule == rule)
    }

    /// For a terminal: two columns and the rule; `~~…~~` is what was dropped.
    pub fn text(&self) -> String {
        let left: Vec<String> = self.lines.iter().map(Line::lua_text).collect();
        let right: Vec<&str> = self.lines.iter().map(|line| line.reply.as_deref().unwrap_or("—")).collect();
        let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default().min(48);
        let left_width = width(&mut left.iter().map(|text| text.chars().count()));
        let right_width = width(&mut right.iter().map(|text| text.chars().count()));
        let mut text = String::new();
        for ((line, left), right) in self.lines.iter().zip(&left).zip(&right) {
            let rule = line.rule.name();
            writeln!(text, "{left:left_width$}  →  {right:right_width$}  {rule}")
                .expect("a string can be written to");
        }
        text
    }

    fn push(&mut self, depth: usize, lua: Vec<Piece>, reply: Option<String>, rule: Rule) {
        self.lines.push(Line { depth, lua, reply, rule });
    }

    /// `label`: the key in front of a value inside of a table.
    fn value(&mut self, label: &str, value: &LuaValue, depth: usize, protocol: Protocol) {
        let kept = |text: String| vec![Piece { text: format!("{label}{text}"), kept: true }];
        match value {
            LuaValue::Number(number) => self.number(label, *number, depth),
            LuaValue::Table(table) => self.table(label, table, depth, protocol),
            LuaValue::String(text) => {
                let shown = quoted(text);
                self.push(depth, kept(shown.clone()), Some(shown), Rule::String);
            }
            LuaValue::Boolean(yes) => {
                let (reply, rule) = match (protocol, yes) {
                    (Protocol::Resp3, true) => ("(true)", Rule::Boolean),
                    (Protocol::Resp3, false) => ("(false)", Rule::Boolean),
                    (Protocol::Resp2, true) => ("(integer) 1", Rule::True),
                    (Protocol::Resp2, false) => ("(nil)", Rule::False),
                };
                self.push(depth, kept(yes.to_string()), Some(reply.to_owned()), rule);
            }
            LuaValue::Nil => self.push(depth, kept("nil".to_owned()), Some("(nil)".to_owned()), Rule::Nil),
            LuaValue::Other(name) => {
                let lua = vec![
                    Piece { text: label.to_owned(), kept: true },
                    Piece { text: (*name).to_owned(), kept: false },
                ];
                self.push(depth, lua, Some("(nil)".to_owned()), Rule::NoForm);
            }
        }
    }

    fn number(&mut self, label: &str, number: f64, depth: usize) {
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        const TWO_63: f64 = 9_223_372_036_854_775_808.0;
        let shown = lua_number(number);
        let fits = (-TWO_63..TWO_63).contains(&number);
        let integer = if fits { number as i64 } else { i64::MIN };
        let reply = Some(format!("(integer) {integer}"));
        let piece = |text: &str, kept| Piece { text: text.to_owned(), kept };
        let (lua, rule) = if !fits {
            (vec![piece(label, true), piece(&shown, false)], Rule::NumberOutOfRange)
        } else if number.fract() != 0.0 {
            let whole = integer.to_string();
            let sign = if integer == 0 && number < 0.0 { "-0" } else { whole.as_str() };
            match shown.strip_prefix(sign) {
                Some(rest) if rest.starts_with('.') => {
                    (vec![piece(&format!("{label}{sign}"), true), piece(rest, false)], Rule::NumberCut)
                }
                _ => (vec![piece(label, true), piece(&shown, false)], Rule::NumberCut),
            }
        } else {
            let rule = if number.abs() > EXACT_MAX { Rule::NumberRounded } else { Rule::Integer };
            (vec![piece(&format!("{label}{shown}"), true)], rule)
        };
        self.push(depth, lua, reply, rule);
    }

    fn table(&mut self, label: &str, table: &LuaTable, depth: usize, protocol: Protocol) {
        if let Some((name, reply, rule)) = special(table) {
            self.push(depth, vec![Piece { text: format!("{label}{{{name} = …}}"), kept: true }], reply, rule);
            if let (Rule::Map | Rule::Set, Some(LuaValue::Table(inner))) = (rule, table.field(name)) {
                self.pairs(inner, rule, depth + 1, protocol);
            }
            self.dropped(table, depth + 1, Some(name));
            return;
        }
        let count = table.items.len();
        let reply = match count {
            0 if !table.cut => "(empty array)".to_owned(),
            1 => "array of 1".to_owned(),
            count => format!("array of {count}{}", if table.cut { " or more" } else { "" }),
        };
        self.push(depth, vec![Piece { text: format!("{label}{{"), kept: true }], Some(reply), Rule::Array);
        for item in &table.items {
            self.value("", item, depth + 1, protocol);
        }
        self.dropped(table, depth + 1, None);
        if table.cut {
            self.push(depth + 1, vec![Piece { text: "…".to_owned(), kept: true }], None, Rule::Left);
        }
        self.push(depth, vec![Piece { text: "}".to_owned(), kept: true }], Some(String::new()), Rule::Array);
    }

    fn pairs(&mut self, table: &LuaTable, rule: Rule, depth: usize, protocol: Protocol) {
        let items = table.items.iter().enumerate();
        let items = items.map(|(at, value)| (LuaValue::Number(at as f64 + 1.0), value.clone()));
        for (key, value) in items.chain(table.rest.iter().cloned()) {
            if rule == Rule::Set {
                self.value("", &key, depth, protocol);
            } else {
                self.value(&format!("{} = ", key_text(&key)), &value, depth, protocol);
            }
        }
    }

    /// What of a table reaches nobody. `used`: the field that made the reply.
    fn dropped(&mut self, table: &LuaTable, depth: usize, used: Option<&str>) {
        let behind: Vec<f64> = table.behind_hole().map(|(index, _)| index).collect();
        for (key, value) in &table.rest {
            let name = key_text(key);
            // What Redis itself puts beside an error is of no use to a client.
            const BESIDE_ERRORS: &[&str] = &["source", "line", "ignore_error_stats_update"];
            if used == Some(name.as_str()) || used == Some("err") && BESIDE_ERRORS.contains(&name.as_str()) {
                continue;
            }
            let is_behind = matches!(key, LuaValue::Number(index) if behind.contains(index));
            let rule = if is_behind { Rule::BehindNil } else { Rule::FieldDropped };
            let text = format!("{name} = {}", short(value));
            self.push(depth, vec![Piece { text, kept: false }], None, rule);
        }
    }
}

impl Line {
    fn lua_text(&self) -> String {
        let indent = "  ".repeat(self.depth);
        let pieces = self.lua.iter().filter(|piece| !piece.text.is_empty());
        let pieces =
            pieces.map(|piece| if piece.kept { piece.text.clone() } else { format!("~~{}~~", piece.text) });
        format!("{indent}{}", pieces.collect::<String>())
    }

    /// The Lua value as it was, whole.
    pub fn whole(&self) -> String {
        self.lua.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// A table that stands for something else than an array: the field that decides, in Redis's order.
fn special(table: &LuaTable) -> Option<(&'static str, Option<String>, Rule)> {
    let text = |name: &str| match table.field(name) {
        Some(LuaValue::String(text)) => Some(String::from_utf8_lossy(&text.bytes).into_owned()),
        _ => None,
    };
    let inner = |name: &str| match table.field(name) {
        Some(LuaValue::Table(table)) => Some(table.items.len() + table.rest.len()),
        _ => None,
    };
    if let Some(text) = text("err") {
        return Some(("err", Some(format!("(error) {text}")), Rule::Error));
    }
    if let Some(text) = text("ok") {
        return Some(("ok", Some(text), Rule::Status));
    }
    if let Some(LuaValue::Number(number)) = table.field("double") {
        return Some(("double", Some(format!("(double) {}", lua_number(*number))), Rule::Double));
    }
    if let Some(count) = inner("map") {
        return Some(("map", Some(format!("map of {count}")), Rule::Map));
    }
    if let Some(count) = inner("set") {
        return Some(("set", Some(format!("set of {count}")), Rule::Set));
    }
    if let Some(text) = text("big_number") {
        return Some(("big_number", Some(text), Rule::BigNumber));
    }
    match table.field("verbatim_string") {
        Some(LuaValue::Table(inner))
            if inner.field("string").is_some() && inner.field("format").is_some() =>
        {
            Some(("verbatim_string", Some("verbatim string".to_owned()), Rule::Verbatim))
        }
        _ => None,
    }
}

fn key_text(key: &LuaValue) -> String {
    match key {
        LuaValue::String(text) if is_name(&text.bytes) => String::from_utf8_lossy(&text.bytes).into_owned(),
        other => format!("[{}]", short(other)),
    }
}

fn is_name(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// A value in a few words.
fn short(value: &LuaValue) -> String {
    match value {
        LuaValue::Nil => "nil".to_owned(),
        LuaValue::Boolean(yes) => yes.to_string(),
        LuaValue::Number(number) => lua_number(*number),
        LuaValue::String(text) => quoted(text),
        LuaValue::Table(_) => "{…}".to_owned(),
        LuaValue::Other(name) => (*name).to_owned(),
    }
}

fn lua_number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e17 {
        return format!("{number:.0}");
    }
    format_f64(number, Version::default())
}

fn quoted(text: &LuaText) -> String {
    const SHOWN_MAX: usize = 60;
    let mut shown = String::new();
    push_quoted(&text.bytes[..text.bytes.len().min(SHOWN_MAX)], &mut shown);
    if text.len > SHOWN_MAX {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use crate::server::{ClientId, EventKind, Input, InputKind, Options, Server};

    /// The conversion of what a script returns as text, and its reply as redis-cli prints it.
    fn run(body: &str) -> (Conversion, String) {
        let mut server = Server::new(Options::default());
        let argv = ["EVAL", body, "0"].into_iter().map(Bytes::from).collect();
        let kind = InputKind::Command { client: ClientId(1), argv };
        let mut conversion = Conversion::default();
        let mut reply = String::new();
        for event in server.apply(Input { at: server.now(), kind }) {
            match event.kind {
                EventKind::ScriptReturned { value, protocol, .. } => {
                    conversion = Conversion::of(&value, protocol);
                }
                EventKind::Replied { reply: told, .. } => {
                    reply = crate::resp::terminal_text(&told, Version::default());
                }
                _ => {}
            }
        }
        (conversion, reply)
    }

    #[test]
    fn single_values_become_what_the_server_answers() {
        for body in [
            "return 3.99",
            "return -3.99",
            "return -0.5",
            "return 1e300",
            "return 2^53",
            "return 'a\\nb'",
            "return true",
            "return false",
            "return nil",
            "return {}",
            "return {err = 'MY error'}",
            "return {ok = 'fine'}",
            "return tostring",
        ] {
            let (conversion, reply) = run(body);
            assert_eq!(conversion.lines[0].reply.as_deref(), Some(reply.as_str()), "{body}");
        }
    }

    #[test]
    fn what_is_dropped_is_struck_out() {
        let (conversion, reply) = run("return {1.5, 'two', nil, 4, name = 'x', {false}}");
        assert_eq!(reply.lines().count(), 2);
        let shown = [
            "{           →  array of 2    a table becomes an array",
            "  1~~.5~~   →  (integer) 1   the decimals are cut off",
            "  \"two\"     →  \"two\"         a string stays as it is",
        ];
        let text = conversion.text();
        for line in shown {
            let words: Vec<&str> = line.split_whitespace().collect();
            let found = text.lines().any(|line| line.split_whitespace().eq(words.iter().copied()));
            assert!(found, "{line}\n{text}");
        }
        assert!(text.contains("~~[4] = 4~~") && text.contains("~~name = \"x\"~~"), "{text}");
        assert!(conversion.has(Rule::BehindNil) && conversion.has(Rule::FieldDropped), "{text}");
    }

    #[test]
    fn booleans_stay_what_they_are_in_resp3() {
        let (conversion, _) = run("redis.setresp(3) return {true, false}");
        assert!(!conversion.lines.iter().any(|line| line.rule.loses()));
    }
}
