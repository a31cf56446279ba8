//! Text to scenario. Never fails as a whole: every mistake is a diagnostic, and what can be understood is kept.

mod directives;

use std::ops::Range;

use crate::Bytes;
use crate::resp::{Pattern, split_words};

use super::diagnostic::{Diagnostic, Diagnostics};
use super::document::{self, PartKind, is_script_name};
use super::line::{self, Direction};
use super::logic;
use super::orders::Orders;
use super::scenario::{
    Action, Block, Check, Expect, Expected, Hole, Late, Predict, Scenario, Script, Send, Step, When,
};

/// A scenario is a text for people: longer ones are refused as a whole.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// More steps than this could not be shown, and their history not be kept.
const STEPS_MAX: usize = 10_000;

/// Reads a scenario. Where there are diagnostics, it must not be run: what it lacks may change what it says. Of a page with
/// several timelines, only the first has steps.
pub fn parse(text: &str) -> (Scenario, Vec<Diagnostic>) {
    parse_timeline(text, 0).0
}

/// Reads a page: each of its timelines as a scenario of its own, with the places it has in the page. A page without any
/// `redis` fence has none.
pub fn parse_page(text: &str) -> Vec<(Scenario, Vec<Diagnostic>)> {
    let (first, timelines) = parse_timeline(text, 0);
    let others = (1..timelines).map(|number| parse_timeline(text, number).0);
    // What is wrong with the page as a whole is told by the first.
    let has_any = timelines > 0 || text.len() > TEXT_BYTES_MAX;
    has_any.then_some(first).into_iter().chain(others).collect()
}

/// One timeline of a text, and how many there are.
fn parse_timeline(text: &str, wanted: usize) -> ((Scenario, Vec<Diagnostic>), usize) {
    let mut diagnostics = Diagnostics::default();
    if text.len() > TEXT_BYTES_MAX {
        diagnostics.push(
            (0, "", 0),
            format!("longer than {TEXT_BYTES_MAX} bytes"),
            "cut it into several files",
        );
        return ((Scenario::default(), diagnostics.finish()), 0);
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let document = document::read(&lines, &mut diagnostics);
    let timelines = document.timelines();
    let scenario = Scenario { meta: document.meta, ..Scenario::default() };
    let mut parser = Parser {
        lines: &lines,
        indent: 0,
        scenario,
        diagnostics,
        remarks: Vec::new(),
        orders: Orders::default(),
        predict: None,
        pending: None,
    };
    // Scripts may stand behind the steps that use them.
    for part in &document.parts {
        if let PartKind::Lua { name } = &part.kind {
            parser.script(name, part.lines.clone(), part.indent);
        }
    }
    for part in document.parts {
        match part.kind {
            PartKind::Prose => parser.prose(part.lines),
            PartKind::Lua { name } => {
                let index = parser.scenario.scripts.iter().position(|script| script.name == name);
                parser.scenario.blocks.extend(index.map(Block::Script));
            }
            PartKind::Redis { timeline } if timeline == wanted => parser.fence(part.lines, part.indent),
            // A fence of another timeline is shown as it is written, between its marks.
            PartKind::Redis { .. } => {
                parser.prose(part.lines.start.saturating_sub(1)..lines.len().min(part.lines.end + 1));
            }
        }
    }
    (parser.finish(), timelines)
}

/// Whose reply the lines that follow are.
#[derive(Clone, Copy)]
enum Target {
    Step(usize),
    Late(usize),
    Check(usize),
}

/// A reply whose lines are being collected.
struct Pending {
    target: Target,
    client: usize,
    /// Of the first reply line, from 0.
    first: usize,
    /// Each line without indent and label, and how much of it that was.
    texts: Vec<(String, usize)>,
    label_width: usize,
}

struct Parser<'a> {
    lines: &'a [&'a str],
    indent: usize,
    scenario: Scenario,
    diagnostics: Diagnostics,
    remarks: Vec<String>,
    orders: Orders,
    /// The question before the next step, and its line.
    predict: Option<(Predict, usize)>,
    pending: Option<Pending>,
}

/// A command as it is read.
struct Command {
    argv: Vec<Bytes>,
    /// The first one that was brought in.
    script: Option<usize>,
    holes: Vec<Hole>,
}

impl<'a> Parser<'a> {
    fn finish(mut self) -> (Scenario, Vec<Diagnostic>) {
        if self.scenario.steps.is_empty() {
            let help = "write steps such as `A> SET k 1` into a ```redis fence";
            self.diagnostics.push((0, self.lines[0], 0), "there is no step in this text", help);
        }
        for (line, message) in self.orders.left_over() {
            let text = self.lines[line];
            self.diagnostics.push((line, text, text.find('@').unwrap_or_default()), message, "");
        }
        (self.scenario, self.diagnostics.finish())
    }

    fn prose(&mut self, lines: Range<usize>) {
        let text = self.lines[lines].join("\n");
        if !text.trim().is_empty() {
            self.scenario.blocks.push(Block::Prose(text.trim_matches('\n').to_owned()));
        }
    }

    fn script(&mut self, name: &str, lines: Range<usize>, indent: usize) {
        let fence = lines.start - 1;
        if self.scenario.script(name).is_some() {
            let place = (fence, self.lines[fence], self.lines[fence].rfind(name).unwrap_or_default());
            self.diagnostics.push(place, format!("a script is called {name:?} already"), "");
            return;
        }
        let unindented: Vec<&str> =
            self.lines[lines].iter().map(|line| without_indent(line, indent)).collect();
        let text = unindented.join("\n");
        let sha = sha1_smol::Sha1::from(&text).digest().to_string();
        let script = Script { name: name.to_owned(), text: Bytes::from(text), sha, line: fence + 1 };
        self.scenario.scripts.push(script);
    }

    fn fence(&mut self, lines: Range<usize>, indent: usize) {
        let first_step = self.scenario.steps.len();
        let (first_part, first_check) = (self.scenario.parts.len(), self.scenario.checks.len());
        self.indent = indent;
        for number in lines {
            self.line(number);
        }
        self.end_reply();
        self.remarks.clear();
        if let Some((_, number)) = self.predict.take() {
            let line = without_indent(self.lines[number], self.indent);
            self.complain(number, line, 0, "no step follows that could be predicted", "");
        }
        let (last_step, last_check) = (self.scenario.steps.len(), self.scenario.checks.len());
        if let Some(part) = self.scenario.parts[first_part..].last_mut() {
            part.steps.end = last_step;
        }
        for part in &mut self.scenario.parts[first_part..] {
            part.checks = first_check..last_check;
        }
        let steps = first_step..self.scenario.steps.len();
        if !steps.is_empty() {
            self.scenario.blocks.push(Block::Steps(steps));
        }
        if first_check < last_check {
            self.scenario.blocks.push(Block::Checks(first_check..last_check));
        }
    }

    fn line(&mut self, number: usize) {
        let line = without_indent(self.lines[number], self.indent);
        if line.trim().is_empty() {
            self.end_reply();
        } else if let Some(remark) = line.strip_prefix('#') {
            self.end_reply();
            self.remarks.push(remark.trim().to_owned());
        } else if let Some(directive) = line.strip_prefix('@') {
            self.end_reply();
            self.directive(number, line, directive);
        } else if let Some(label) = line::label(line) {
            self.end_reply();
            let rest = &line[label.rest_at..];
            match label.direction {
                Direction::Receives => self.late(number, label.client, label.rest_at, rest),
                Direction::Sends => self.send(number, label.client, rest, false),
                Direction::Pipelines => self.send(number, label.client, rest, true),
            }
        } else {
            self.reply_line(number, line);
        }
    }

    fn reply_line(&mut self, number: usize, line: &str) {
        let Some(pending) = &mut self.pending else {
            let help = "a reply stands directly below its command; remarks begin with #, commands with `A> `";
            self.complain(number, line, 0, "this reply belongs to no command", help);
            return;
        };
        let unlabelled = without_indent(line, pending.label_width);
        pending.texts.push((unlabelled.to_owned(), line.len() - unlabelled.len()));
    }

    fn send(&mut self, number: usize, client: &str, command: &str, pipelined: bool) {
        let client = self.client(client);
        let Some(Command { argv, script, holes }) = self.command(number, command, Some(client)) else {
            self.orders.take(client);
            return;
        };
        let send = Send { client, text: command.trim_end().to_owned(), argv, script, holes, pipelined };
        self.step(number, Action::Send(send));
        self.expect(Target::Step(self.scenario.steps.len() - 1), client, number + 1, 0);
    }

    fn late(&mut self, number: usize, client: &str, label_width: usize, rest: &str) {
        let line = without_indent(self.lines[number], self.indent);
        if self.scenario.steps.is_empty() {
            self.complain(number, line, 0, "nothing can arrive before the first step", "");
            return;
        }
        let Some(client) = self.scenario.clients.iter().position(|known| known == client) else {
            let message = format!("no client is called {client:?} up to here");
            self.complain(number, line, 0, &message, "`A< …` is what A receives, `A> …` what A sends");
            return;
        };
        self.expect(Target::Late(self.scenario.steps.len() - 1), client, number, label_width);
        if let Some(pending) = &mut self.pending {
            pending.texts.push((rest.to_owned(), label_width));
        }
    }

    fn step(&mut self, number: usize, action: Action) {
        if self.scenario.steps.len() == STEPS_MAX {
            self.complain(number, self.lines[number], 0, "too many steps", "cut the scenario into several");
            return;
        }
        let text = without_indent(self.lines[number], self.indent).trim_end().to_owned();
        let remarks = std::mem::take(&mut self.remarks);
        let orders = match &action {
            Action::Send(send) => self.orders.take(send.client),
            _ => Vec::new(),
        };
        self.scenario.steps.push(Step {
            line: number + 1,
            text,
            remarks,
            predict: self.predict.take().map(|(predict, _)| predict),
            action,
            orders,
            keeps: Vec::new(),
            attempt: None,
            expected: None,
            late: Vec::new(),
        });
    }

    fn client(&mut self, name: &str) -> usize {
        let clients = &mut self.scenario.clients;
        clients.iter().position(|known| known == name).unwrap_or_else(|| {
            clients.push(name.to_owned());
            clients.len() - 1
        })
    }

    /// The arguments of a command, `$name` and `$name.sha` of scripts filled in. `client`: who may have kept replies.
    fn command(&mut self, number: usize, command: &str, client: Option<usize>) -> Option<Command> {
        let line = without_indent(self.lines[number], self.indent);
        let at = offset(command, line);
        let words = match split_words(command.as_bytes()) {
            Ok(words) => words,
            Err(quotes) => {
                let (place, message) = match quotes.followed {
                    Some(place) => (place, "a closing quote must be followed by a blank"),
                    None => (quotes.opened, "this quote is never closed"),
                };
                self.complain(
                    number,
                    line,
                    at + place,
                    message,
                    "quoting is as in redis-cli: \"…\\n…\" or '…'",
                );
                return None;
            }
        };
        if words.is_empty() {
            self.complain(number, line, line.len(), "expected a command", "e.g. `A> GET key`");
            return None;
        }
        let mut read = Command { argv: Vec::with_capacity(words.len()), script: None, holes: Vec::new() };
        for word in words {
            let reference = if word.quoted { None } else { reference(&word.text) };
            let Some(reference) = reference else {
                read.argv.push(word.text);
                continue;
            };
            let script = script_reference(reference).and_then(|(name, part)| {
                let index = self.scenario.scripts.iter().position(|script| script.name == name)?;
                Some((index, part))
            });
            if let Some((index, part)) = script {
                let script = &self.scenario.scripts[index];
                read.argv.push(if part == "sha" {
                    Bytes::from(script.sha.as_str())
                } else {
                    script.text.clone()
                });
                read.script.get_or_insert(index);
                continue;
            }
            let term = logic::term(reference).filter(|term| match (&term.name, client) {
                (Some(name), Some(client)) => self.orders.knows(client, name),
                (None, client) => client.is_some(),
                _ => false,
            });
            let Some(term) = term else {
                let (name, _) = script_reference(reference).unwrap_or((reference, ""));
                let message = format!("no script is called {name:?}");
                let help = format!(
                    "write it into a ```lua {name} fence, keep a reply under this name, or quote the word to mean it as it is"
                );
                self.complain(number, line, at + word.span.start, &message, &help);
                return None;
            };
            read.holes.push(Hole { at: read.argv.len(), term });
            read.argv.push(word.text);
        }
        Some(read)
    }

    fn check(&mut self, number: usize, when: When, command: &str) {
        let Some(Command { argv, .. }) = self.command(number, command, None) else { return };
        let check = Check { when, line: number + 1, text: command.to_owned(), argv, expected: None };
        self.scenario.checks.push(check);
        self.expect(Target::Check(self.scenario.checks.len() - 1), 0, number + 1, 0);
    }

    fn expect(&mut self, target: Target, client: usize, first: usize, label_width: usize) {
        self.pending = Some(Pending { target, client, first, texts: Vec::new(), label_width });
    }

    /// The reply that was being collected is whole.
    fn end_reply(&mut self) {
        let Some(pending) = self.pending.take().filter(|pending| !pending.texts.is_empty()) else { return };
        let text: Vec<&str> = pending.texts.iter().map(|(text, _)| text.trim_end()).collect();
        let text = text.join("\n");
        let what = match text.as_str() {
            "(closed)" => Expect::Closed,
            "(refused)" => Expect::Refused,
            "(skipped)" => Expect::Skipped,
            text => match Pattern::parse(text) {
                Ok(pattern) => Expect::Reply(pattern),
                Err(error) => {
                    let number = pending.first + error.line;
                    let line = without_indent(self.lines[number], self.indent);
                    let column = pending.texts[error.line].1 + error.column;
                    let help = "replies are written as redis-cli prints them on a terminal";
                    self.complain(number, line, column, &error.message, help);
                    return;
                }
            },
        };
        let lines = pending.first..pending.first + pending.texts.len();
        let expected = Expected { lines, text, what };
        match pending.target {
            Target::Step(step) => self.scenario.steps[step].expected = Some(expected),
            Target::Check(check) => self.scenario.checks[check].expected = Some(expected),
            Target::Late(step) => {
                self.scenario.steps[step].late.push(Late { client: pending.client, expected });
            }
        }
    }

    /// `line`: without the fence's indent, which is added to the place.
    fn complain(&mut self, number: usize, line: &str, byte: usize, message: &str, help: &str) {
        let full = self.lines[number];
        self.diagnostics.push((number, full, full.len() - line.len() + byte), message, help);
    }
}

/// The line without at most so many leading blanks.
fn without_indent(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
    &line[blanks..]
}

/// Where a part of the line begins in it.
fn offset(part: &str, line: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len())
}

/// What a word `$…` refers to, if it looks like a name and not like other text.
fn reference(word: &[u8]) -> Option<&str> {
    let reference = std::str::from_utf8(word).ok()?.strip_prefix('$')?;
    (script_reference(reference).is_some() || logic::term(reference).is_some()).then_some(reference)
}

/// `name` or `name.sha`: the name, and the part behind the point.
fn script_reference(reference: &str) -> Option<(&str, &str)> {
    let (name, part) = reference.split_once('.').unwrap_or((reference, ""));
    (is_script_name(name) && (part.is_empty() || part == "sha")).then_some((name, part))
}
