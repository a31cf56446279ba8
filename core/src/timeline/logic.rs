//! What a client decides by itself: the conditions, names and arguments that depend on replies it has had.
//!
//! Grammar and meaning only; [`super::mind`] holds what a client knows, the parser says where an order may stand.

use crate::Bytes;
use crate::profile::Version;
use crate::resp::{Pattern, Reply};
use crate::value::number::parse_i64;

use super::compare::Seen;

/// Attempts of one loop, and so copies of its steps.
pub(super) const ATTEMPTS_MAX: usize = 100;

/// What a client considers before a step, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// This step is skipped unless the condition holds.
    If(Condition),
    /// Where the condition holds, this step and all later ones of the client are skipped.
    Stop(Condition),
    /// Where the condition holds, the loop of that number is over.
    Until { loop_number: usize, condition: Condition },
    /// This step belongs to a further attempt of the loop, and is skipped once that is over.
    Again { loop_number: usize },
}

/// `reply is nil`, `n > 3`: a question about what the client was told.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub term: Term,
    pub test: Test,
    /// `unless`, `is not`: whether the outcome is turned round.
    pub negated: bool,
}

/// A reply the client knows: its newest, or one it has kept under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// None: the newest reply.
    pub name: Option<String>,
    /// `[2]`: an element of an array, from 1.
    pub element: Option<usize>,
    /// `+1`, `-1`: what is added to the number.
    pub plus: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    Nil,
    /// An error reply, whose first word is this one where it is not empty.
    Error(String),
    /// As an expected reply is written.
    Like(Pattern),
    Compare(Comparator, Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Number(i64),
    Term(Term),
}

/// A line `@ A: …`, without its label.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Directive {
    Keep(String),
    If(Condition),
    Stop(Condition),
    Repeat { attempts: usize },
    Until(Condition),
}

/// Why a directive could not be read: where in it, in bytes, and what was expected there.
pub(super) struct Misread {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) help: &'static str,
}

const ORDERS_HELP: &str = "known are `keep NAME`, `if …`, `unless …`, `stop if …`, `stop unless …`, `repeat, at most 3 times` and `until …`";
const CONDITION_HELP: &str = "e.g. `reply is nil`, `reply is not OK`, `reply is error NOSCRIPT`, `n >= 3`";

pub(super) fn directive(text: &str) -> Result<Directive, Misread> {
    let mut words = Words { text, at: 0 };
    let word = words.next();
    match word {
        "keep" => match words.rest().trim() {
            name if is_variable(name) => Ok(Directive::Keep(name.to_owned())),
            _ => {
                Err(words.misread("expected a name", "letters, digits and `_`, a letter first; not `reply`"))
            }
        },
        "if" => Ok(Directive::If(condition(&mut words, false)?)),
        "unless" => Ok(Directive::If(condition(&mut words, true)?)),
        "until" => Ok(Directive::Until(condition(&mut words, false)?)),
        "stop" => match words.next() {
            "if" => Ok(Directive::Stop(condition(&mut words, false)?)),
            "unless" => Ok(Directive::Stop(condition(&mut words, true)?)),
            _ => Err(Misread {
                at: 0,
                message: "expected `stop if …` or `stop unless …`".to_owned(),
                help: CONDITION_HELP,
            }),
        },
        "repeat," | "repeat" => {
            let rest = words.rest();
            let number =
                rest.strip_prefix("at most ").and_then(|rest| rest.trim_end().strip_suffix(" times"));
            let attempts = number.and_then(|number| number.parse().ok());
            match attempts.filter(|attempts| (1..=ATTEMPTS_MAX).contains(attempts)) {
                Some(attempts) => Ok(Directive::Repeat { attempts }),
                None => {
                    Err(words
                        .misread("expected how often", "`repeat, at most 3 times`; 100 times is the bound"))
                }
            }
        }
        _ => Err(Misread { at: 0, message: format!("no client can be told {word:?}"), help: ORDERS_HELP }),
    }
}

/// Names of kept replies: without `-`, which takes away.
pub(super) fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name != "reply"
}

/// `n`, `reply[1]`, `n+1`; in a command with `$` before it, which is not part of the text here.
pub(super) fn term(text: &str) -> Option<Term> {
    let name_end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(name_end);
    if name != "reply" && !is_variable(name) {
        return None;
    }
    let mut element = None;
    if let Some(behind) = rest.strip_prefix('[') {
        let (number, behind) = behind.split_once(']')?;
        element = Some(number.parse().ok().filter(|number| *number > 0)?);
        rest = behind;
    }
    let plus = match rest {
        "" => 0,
        signed if signed.starts_with(['+', '-']) && signed.len() > 1 => signed.parse().ok()?,
        _ => return None,
    };
    Some(Term { name: Some(name.to_owned()).filter(|name| name != "reply"), element, plus })
}

fn condition(words: &mut Words<'_>, negated: bool) -> Result<Condition, Misread> {
    let at = words.at;
    let Some(term) = term(words.next()) else {
        let message = "expected `reply` or the name of a kept one".to_owned();
        return Err(Misread { at, message, help: CONDITION_HELP });
    };
    let at = words.at;
    let (comparator, turned) = match words.next() {
        "is" => return is(words, term, negated),
        "=" => (Comparator::Equal, false),
        "!=" => (Comparator::Equal, true),
        "<" => (Comparator::Less, false),
        "<=" => (Comparator::LessOrEqual, false),
        ">" => (Comparator::Greater, false),
        ">=" => (Comparator::GreaterOrEqual, false),
        _ => {
            let message = "expected `is` or one of = != < <= > >=".to_owned();
            return Err(Misread { at, message, help: CONDITION_HELP });
        }
    };
    let right = words.rest().trim();
    let operand = match (right.parse(), self::term(right.trim_start_matches('$'))) {
        (Ok(number), _) => Operand::Number(number),
        (_, Some(term)) => Operand::Term(term),
        _ => return Err(words.misread("expected a whole number or a name", CONDITION_HELP)),
    };
    Ok(Condition { term, test: Test::Compare(comparator, operand), negated: negated != turned })
}

fn is(words: &mut Words<'_>, term: Term, negated: bool) -> Result<Condition, Misread> {
    let mut negated = negated;
    if let Some(rest) = words.rest().strip_prefix("not ") {
        negated = !negated;
        words.at = words.text.len() - rest.len();
    }
    let value = words.rest().trim();
    let test = match value {
        "nil" => Test::Nil,
        "error" => Test::Error(String::new()),
        _ => match value.strip_prefix("error ") {
            Some(code) if !code.contains(' ') => Test::Error(code.to_owned()),
            _ => match Pattern::parse(value) {
                Ok(pattern) => Test::Like(pattern),
                Err(error) => {
                    let at = words.place() + error.column;
                    return Err(Misread { at, message: error.message, help: CONDITION_HELP });
                }
            },
        },
    };
    Ok(Condition { term, test, negated })
}

struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn place(&self) -> usize {
        self.at + self.text[self.at..].len() - self.text[self.at..].trim_start().len()
    }

    fn next(&mut self) -> &'a str {
        let start = self.place();
        let rest = &self.text[start..];
        let word = &rest[..rest.find(' ').unwrap_or(rest.len())];
        self.at = start + word.len();
        word
    }

    fn rest(&self) -> &'a str {
        &self.text[self.place()..]
    }

    fn misread(&self, message: &str, help: &'static str) -> Misread {
        Misread { at: self.place(), message: message.to_owned(), help }
    }
}

impl Condition {
    /// `look`: the reply that a term names; None where there was none yet, which counts as nil.
    pub(super) fn holds<'a>(&self, look: &impl Fn(&Term) -> Option<&'a Seen>) -> bool {
        let reply = look(&self.term).map_or(Some(&Reply::Nil), |seen| self.term.element_of(seen));
        let holds = match (&self.test, reply) {
            // A connection that was closed has told nothing.
            (_, None) => false,
            (Test::Nil, Some(reply)) => is_nil(reply),
            (Test::Error(code), Some(Reply::Error(line))) => {
                code.is_empty() || line.split(|byte| *byte == b' ').next() == Some(code.as_bytes())
            }
            (Test::Error(_), Some(_)) => false,
            (Test::Like(pattern), Some(reply)) => pattern.matches(reply, Version::default()),
            (Test::Compare(comparator, operand), Some(reply)) => {
                compares(*comparator, (reply, self.term.plus), operand, look)
            }
        };
        holds != self.negated
    }
}

fn compares<'a>(
    comparator: Comparator,
    (left, plus): (&Reply, i64),
    right: &Operand,
    look: &impl Fn(&Term) -> Option<&'a Seen>,
) -> bool {
    let right_reply = match right {
        Operand::Number(number) => Reply::Int(*number),
        Operand::Term(term) => match look(term) {
            None => Reply::Int(term.plus),
            Some(seen) => match term.element_of(seen) {
                None => return false,
                Some(reply) => number(reply)
                    .and_then(|number| number.checked_add(term.plus))
                    .map_or_else(|| reply.clone(), Reply::Int),
            },
        },
    };
    let left_number = number(left).and_then(|number| number.checked_add(plus));
    match (left_number, number(&right_reply)) {
        (Some(left), Some(right)) => match comparator {
            Comparator::Equal => left == right,
            Comparator::Less => left < right,
            Comparator::LessOrEqual => left <= right,
            Comparator::Greater => left > right,
            Comparator::GreaterOrEqual => left >= right,
        },
        // Other texts can be the same or not, and nothing else.
        _ => {
            comparator == Comparator::Equal && text(left).is_some_and(|left| Some(left) == text(&right_reply))
        }
    }
}

impl Term {
    /// The reply itself, or the element that is meant; one that is not there is nil. None: no reply came.
    fn element_of<'a>(&self, seen: &'a Seen) -> Option<&'a Reply> {
        let Seen::Reply(reply) = seen else { return None };
        match (self.element, reply) {
            (None, reply) => Some(reply),
            (Some(at), Reply::Array(items) | Reply::Push(items)) => {
                Some(items.get(at - 1).unwrap_or(&Reply::Nil))
            }
            (Some(_), _) => Some(&Reply::Nil),
        }
    }

    /// As an argument of a command. nil is the empty text, and 0 where something is added to it.
    pub(super) fn argument(&self, seen: Option<&Seen>) -> Result<Bytes, String> {
        let reply = match seen {
            None => &Reply::Nil,
            Some(seen) => self.element_of(seen).ok_or("its connection was closed instead of an answer")?,
        };
        if self.plus != 0 {
            let number = number(reply).ok_or("the reply it is to add to is no whole number")?;
            let sum = number.checked_add(self.plus).ok_or("the sum is too large")?;
            return Ok(Bytes::from(sum.to_string().as_str()));
        }
        match text(reply) {
            Some(text) => Ok(text),
            None if is_nil(reply) => Ok(Bytes::default()),
            None => Err("the reply is no text: name an element of an array as in $reply[1]".to_owned()),
        }
    }
}

fn is_nil(reply: &Reply) -> bool {
    matches!(reply, Reply::Nil | Reply::NilArray)
}

fn number(reply: &Reply) -> Option<i64> {
    match reply {
        Reply::Int(number) => Some(*number),
        Reply::Bulk(text) => parse_i64(text),
        _ if is_nil(reply) => Some(0),
        _ => None,
    }
}

fn text(reply: &Reply) -> Option<Bytes> {
    match reply {
        Reply::Bulk(text) | Reply::BigNumber(text) | Reply::Verbatim { text, .. } => Some(text.clone()),
        Reply::Status(text) | Reply::Error(text) => Some(Bytes::from(&**text)),
        Reply::Int(number) => Some(Bytes::from(number.to_string().as_str())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, mistakes};

    #[test]
    fn a_step_is_skipped_where_the_reply_says_so() {
        check(
            "A> SET lock A\nA> GET lock\n@ A: if reply is \"B\"\nA> DEL lock\n@ A: unless reply is \"B\"\nA> PING\n",
            "A> SET lock A\nOK\nA> GET lock\n\"A\"\n@ A: if reply is \"B\"\nA> DEL lock\n(skipped)\n@ A: unless reply is \"B\"\nA> PING\nPONG\n",
        );
        check(
            "A> SET lock B NX\n@ A: stop unless reply is nil\nA> PING\nB> PING\nA> PING\n",
            "A> SET lock B NX\nOK\n@ A: stop unless reply is nil\nA> PING\n(skipped)\nB> PING\nPONG\nA> PING\n(skipped)\n",
        );
    }

    #[test]
    fn conditions_read_as_they_are_meant() {
        let holds = |setup: &str, condition: &str, expected: &str| {
            let steps = format!("{setup}@ A: if {condition}\nA> PING\n{expected}\n");
            check(&steps, &steps);
        };
        holds("A> ECHO 7\n\"7\"\n", "reply = 7", "PONG");
        holds("A> ECHO 7\n\"7\"\n", "reply < 7", "(skipped)");
        holds("A> ECHO 7\n\"7\"\n", "reply+1 >= 8", "PONG");
        holds("A> GET no\n(nil)\n", "reply is nil", "PONG");
        holds("A> GET no\n(nil)\n", "reply is not nil", "(skipped)");
        holds("A> GET no\n(nil)\n", "reply < 1", "PONG");
        holds("A> ECHO a\n\"a\"\n", "reply != 3", "PONG");
        holds("A> ECHO a\n\"a\"\n", "reply > 3", "(skipped)");
        holds("A> ECHO a\n\"a\"\n@ A: keep a\nA> ECHO a\n\"a\"\n", "reply = a", "PONG");
        let noscript = "A> EVALSHA ffffffffffffffffffffffffffffffffffffffff 0\n(error) NOSCRIPT No matching script. Please use EVAL.\n";
        holds(noscript, "reply is error", "PONG");
        holds(noscript, "reply is error NOSCRIPT", "PONG");
        holds(noscript, "reply is error ERR", "(skipped)");
        holds("A> TIME\n(any array)\n", "reply[1] > 0", "PONG");
    }

    #[test]
    fn replies_become_arguments() {
        check(
            "A> INCR n\n@ A: keep n\nA> PING\nA> SET m $n+1\nA> GET m\nA> ECHO $reply\nA> ECHO \"$n\"\nA> MGET n m\nA> ECHO $reply[2]\n",
            "A> INCR n\n(integer) 1\n@ A: keep n\nA> PING\nPONG\nA> SET m $n+1\nOK\nA> GET m\n\"2\"\nA> ECHO $reply\n\"2\"\nA> ECHO \"$n\"\n\"$n\"\nA> MGET n m\n1) \"1\"\n2) \"2\"\nA> ECHO $reply[2]\n\"2\"\n",
        );
    }

    #[test]
    fn a_fallback_keeps_whatever_reply_came_last() {
        let text = "```lua one\nreturn 1\n```\n```redis\nA> EVALSHA $one.sha 0\n(error) NOSCRIPT No matching script. Please use EVAL.\n@ A: if reply is error NOSCRIPT\nA> EVAL $one 0\n(integer) 1\n@ A: keep one_way\nA> EVALSHA $one.sha 0\n(integer) 1\n@ A: if reply is error NOSCRIPT\nA> EVAL $one 0\n(skipped)\n@ A: keep or_other\nA> ECHO $one_way$or\n\"$one_way$or\"\nA> ECHO $or_other\n\"1\"\n```\n";
        check(text, text);
    }

    #[test]
    fn a_loop_ends_when_its_condition_holds() {
        // B comes between the first attempt's WATCH and EXEC: A needs a second one.
        let story = "A> SET n 5\nOK\n@ A: repeat, at most 3 times\nA> WATCH n\nOK\nA> GET n\n\"5\"\n@ A: keep n\nA> MULTI\nOK\nB> SET n 9\nOK\nA> SET n $n+1\nQUEUED\nA> EXEC\n(nil)\n@ A: until reply is not nil\n";
        let late = "A< OK\nA< \"9\"\nA< OK\nA< QUEUED\nA< 1) OK\n";
        let end = "A> GET n\n";
        check(&format!("{story}{end}"), &format!("{story}{late}{end}\"10\"\n"));
        let calm = story.replace("B> SET n 9\nOK\n", "").replace("(nil)", "1) OK");
        check(&format!("{calm}{end}"), &format!("{calm}{end}\"6\"\n"));
    }

    #[test]
    fn a_loop_gives_up_in_the_end() {
        check(
            "@ A: repeat, at most 3 times\nA> INCR n\n@ A: until reply > 9\n@ A: stop if reply < 9\nA> PING\n",
            "@ A: repeat, at most 3 times\nA> INCR n\n(integer) 1\n@ A: until reply > 9\nA< (integer) 2\nA< (integer) 3\n@ A: stop if reply < 9\nA> PING\n(skipped)\n",
        );
    }

    #[test]
    fn a_client_that_waits_knows_nothing_yet() {
        let (scenario, _) = super::super::parse("A> BLPOP q 0\n@ A: if reply is nil\nA> PING\n");
        let timeline = super::super::Timeline::run(scenario, super::Version::V8_6).unwrap();
        let comparison = timeline.compare();
        assert_eq!(comparison.differences[0].line, 3);
        assert!(comparison.differences[0].got.contains("not answered yet"));
    }

    #[test]
    fn what_a_client_is_told_is_checked() {
        let check = |text: &str, expected: &str| assert_eq!(mistakes(text), expected, "{text}");
        check("A> PING\n@ B: keep n\n", "2:3: no client is called \"B\" up to here");
        check("A> PING\n@ A: go\n", "2:6: no client can be told \"go\"");
        check("A> PING\n@ A: keep reply\nA> PING\n", "2:11: expected a name");
        check("A> PING\n@ A: if x\nA> PING\n", "2:10: expected `is` or one of = != < <= > >=");
        check(
            "A> PING\n@ A: if reply is (intger) 1\nA> PING\n",
            "2:18: no reply begins like this: expected e.g. (integer) 1, (error) …, (nil), (any)",
        );
        check("A> PING\n@ A: if reply > \nA> PING\n", "2:16: expected a whole number or a name");
        check("A> PING\n@ A: if reply is nil\n", "2:1: no step of this client follows");
        check("A> PING\n@ A: repeat, at most 3 times\nA> PING\n", "2:1: this loop has no `until`");
        check("A> PING\n@ A: repeat\nA> PING\n", "2:12: expected how often");
        check("A> PING\n@ A: until reply is nil\nA> PING\n", "2:6: there is nothing to repeat");
        check("A> PING\nB> PING\n@ A: keep n\nB> ECHO $n\n", "4:9: no script is called \"n\"");
        check("A> PING\nA> ECHO $n+1\n", "2:9: no script is called \"n+1\"");
    }
}
