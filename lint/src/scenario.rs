//! Lints for stories: their scripts, and what their clients do.

use std::collections::{BTreeMap, BTreeSet};

use playground_core::Bytes;
use playground_core::bytes::has_word;
use playground_core::timeline::{Diagnostic, Scenario, Send, Step, parse};

use crate::allow::{self, Allowed};
use crate::rules::{
    DELETED_LOCK, EVALSHA_IN_PIPELINE, EVALSHA_WITHOUT_FALLBACK, EXPIRY_MISSING, Rule, TEXT_PER_CALL,
};
use crate::{Finding, lint_script};

/// What became of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linted {
    pub findings: Vec<Finding>,
    /// Scripts that are no Lua, and why: a story may want that.
    pub unread: Vec<(usize, String)>,
}

/// Looks at a scenario: its `lua` fences, the texts of EVAL and its kin, and what clients send.
///
/// # Errors
/// What is wrong with the scenario.
pub fn lint_scenario(text: &str) -> Result<Linted, Vec<Diagnostic>> {
    let (scenario, mistakes) = parse(text);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut linted = Linted::default();
    scripts(&scenario, &mut linted);
    let mut clients = Clients { scenario: &scenario, found: Vec::new() };
    clients.look();
    linted.findings.extend(clients.found);
    let allowed = allowed(&scenario);
    linted.findings.retain(|finding| !allow::is_allowed(&allowed, finding));
    linted.findings.sort_by_key(|finding| (finding.line, finding.column, finding.rule.id));
    linted.findings.dedup();
    Ok(linted)
}

/// What remarks let off: the step that they stand in front of.
fn allowed(scenario: &Scenario) -> Allowed {
    let of_step = |step: &Step| {
        let line = step.line;
        step.remarks
            .iter()
            .flat_map(move |remark| allow::rules(remark).map(move |rule| (line, rule)))
            .collect::<Vec<_>>()
    };
    scenario.steps.iter().flat_map(of_step).collect()
}

fn scripts(scenario: &Scenario, linted: &mut Linted) {
    for script in &scenario.scripts {
        match lint_script(&script.text.to_text()) {
            Ok(findings) => linted.findings.extend(findings.into_iter().map(|finding| Finding {
                line: finding.line + script.line,
                end_line: finding.end_line + script.line,
                ..finding
            })),
            Err(mistakes) => {
                let first = mistakes.first().map(|mistake| mistake.message.clone()).unwrap_or_default();
                linted.unread.push((script.line, first));
            }
        }
    }
    for step in &scenario.steps {
        let Some(text) = step.send().filter(|send| send.script.is_none()).and_then(own_script) else {
            continue;
        };
        match lint_script(&text.to_text()) {
            // Places within a quoted text are not those of the line: the whole command is meant.
            Ok(findings) => linted
                .findings
                .extend(findings.into_iter().map(|finding| at_step(finding.rule, step, finding.message))),
            Err(mistakes) => {
                let first = mistakes.first().map(|mistake| mistake.message.clone()).unwrap_or_default();
                linted.unread.push((step.line, first));
            }
        }
    }
}

fn at_step(rule: &'static Rule, step: &Step, message: impl Into<String>) -> Finding {
    let end = step.text.chars().count() + 1;
    Finding {
        rule,
        line: step.line,
        column: 1,
        end_line: step.line,
        end_column: end,
        message: message.into(),
    }
}

/// The script that stands in a command itself.
fn own_script(send: &Send) -> Option<&Bytes> {
    let (is_text, at) = match &*send.argv.first()?.to_ascii_lowercase() {
        b"eval" | b"eval_ro" => (true, 1),
        b"script" => (send.argv.get(1)?.eq_ignore_ascii_case(b"load"), 2),
        _ => (false, 0),
    };
    send.argv.get(at).filter(|_| is_text)
}

fn is(send: &Send, name: &str) -> bool {
    send.argv.first().is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
}

fn has(send: &Send, from: usize, word: &str) -> bool {
    has_word(send.argv.iter().skip(from).map(Bytes::as_slice), word)
}

struct Clients<'a> {
    scenario: &'a Scenario,
    found: Vec<Finding>,
}

impl<'a> Clients<'a> {
    fn sends(&self) -> impl Iterator<Item = (&'a Step, &'a Send)> + use<'a> {
        self.scenario.steps.iter().filter_map(|step| Some((step, step.send()?)))
    }

    fn look(&mut self) {
        self.evalsha();
        self.locks();
        self.texts();
    }

    fn evalsha(&mut self) {
        let sha = |text: &Bytes| Bytes::from(playground_core::state::Sha1::of(text).as_bytes());
        let texts = self.sends().filter_map(|(_, send)| own_script(send).map(sha));
        let known: BTreeSet<Bytes> = texts.collect();
        for (step, send) in self.sends() {
            if !is(send, "evalsha") && !is(send, "evalsha_ro") {
                continue;
            }
            let Some(called) = send.argv.get(1).map(|sha| Bytes::from(sha.to_ascii_lowercase().as_slice()))
            else {
                continue;
            };
            // A SHA1 that is kept from a reply comes from SCRIPT LOAD.
            let is_sha = called.len() == 40;
            if is_sha && !known.contains(&called) {
                let message = "nobody in this story sends the text when the script is not cached";
                self.found.push(at_step(&EVALSHA_WITHOUT_FALLBACK, step, message));
            }
            if send.pipelined {
                let message = "in a pipeline NOSCRIPT comes too late for a fallback";
                self.found.push(at_step(&EVALSHA_IN_PIPELINE, step, message));
            }
        }
    }

    fn locks(&mut self) {
        let makes = |send: &Send| is(send, "setnx") || (is(send, "set") && has(send, 3, "nx"));
        let locks: BTreeSet<&Bytes> =
            self.sends().filter(|(_, send)| makes(send)).filter_map(|(_, send)| send.argv.get(1)).collect();
        const EXPIRES: &[&str] = &["expire", "pexpire", "expireat", "pexpireat"];
        let given: BTreeSet<&Bytes> = self
            .sends()
            .filter(|(_, send)| EXPIRES.iter().any(|name| is(send, name)))
            .filter_map(|(_, send)| send.argv.get(1))
            .collect();
        // A client that watches the lock and deletes it in MULTI notices when it is another's by now.
        let mut watched: BTreeSet<(usize, &Bytes)> = BTreeSet::new();
        let mut in_multi: BTreeSet<usize> = BTreeSet::new();
        for (step, send) in self.sends() {
            if is(send, "watch") {
                watched.extend(send.argv[1..].iter().map(|key| (send.client, key)));
            } else if is(send, "multi") {
                in_multi.insert(send.client);
            } else if is(send, "exec") || is(send, "discard") || is(send, "unwatch") {
                in_multi.remove(&send.client);
                watched.retain(|(client, _)| *client != send.client);
            }
            let guarded =
                |key: &Bytes| in_multi.contains(&send.client) && watched.contains(&(send.client, key));
            let lasts = ["ex", "px", "exat", "pxat"].iter().all(|option| !has(send, 3, option));
            if makes(send) && lasts && send.argv.get(1).is_some_and(|key| !given.contains(key)) {
                let message = "a lock without an expiry outlives its holder";
                self.found.push(at_step(&EXPIRY_MISSING, step, message));
            }
            let deletes = is(send, "del") || is(send, "unlink");
            if deletes && send.argv[1..].iter().any(|key| locks.contains(key) && !guarded(key)) {
                let message = "the lock may be somebody else's by now: compare before it is deleted";
                self.found.push(at_step(&DELETED_LOCK, step, message));
            }
        }
    }

    fn texts(&mut self) {
        let mut forms: BTreeMap<String, &Bytes> = BTreeMap::new();
        for (step, send) in self.sends() {
            if !is(send, "eval") && !is(send, "eval_ro") {
                continue;
            }
            let Some(text) = own_script(send) else { continue };
            let form = form(&text.to_text());
            // What has nothing but constants is a trial, not a program.
            if !form.contains("call") {
                continue;
            }
            let first = *forms.entry(form).or_insert(text);
            if first != text {
                let message = "the same script with other constants: each text is compiled and cached";
                self.found.push(at_step(&TEXT_PER_CALL, step, message));
            }
        }
    }
}

/// A text with its numbers taken out.
fn form(text: &str) -> String {
    let mut form = String::new();
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            form.push(letter);
        } else if !form.ends_with('#') {
            form.push('#');
        }
    }
    form
}
