//! A scenario's text, as the page shows it.

use playground_core::timeline::{self, Diagnostic, Scenario};
use playground_model::story::{self, Action, Block, Line, Script, ServerEvent, Story};

pub(crate) fn story(text: &str) -> Story {
    let (scenario, diagnostics) = timeline::parse(text);
    let version = scenario.setup.versions.choose(None).unwrap_or_default();
    Story {
        title: scenario.meta.title.clone(),
        summary: scenario.meta.summary.clone(),
        tags: scenario.meta.tags.clone(),
        next: scenario.meta.next.clone(),
        version: version.full().to_owned(),
        clients: scenario.clients.clone(),
        blocks: scenario.blocks.iter().map(block).collect(),
        scripts: scenario.scripts.iter().map(script).collect(),
        lines: scenario.steps.iter().map(line).collect(),
        checks: scenario.checks.iter().map(check).collect(),
        diagnostics: diagnostics.iter().map(diagnostic).collect(),
        kept_steps: 0,
        kept_leases: 0,
    }
}

fn block(block: &timeline::Block) -> Block {
    match block {
        timeline::Block::Prose(text) => Block::Prose(text.clone()),
        timeline::Block::Script(script) => Block::Script(*script),
        timeline::Block::Steps(steps) => Block::Steps(steps.clone()),
        timeline::Block::Checks(checks) => Block::Checks(checks.clone()),
    }
}

fn check(check: &timeline::Check) -> story::Check {
    story::Check {
        always: check.when == timeline::When::Always,
        command: check.text.clone(),
        expected: check.expected.as_ref().map(|expected| expected.text.clone()),
    }
}

fn script(script: &timeline::Script) -> Script {
    Script {
        name: script.name.clone(),
        text: script.text.to_text(),
        sha: script.sha.clone(),
        line: script.line,
    }
}

fn line(step: &timeline::Step) -> Line {
    let action = match &step.action {
        timeline::Action::Send(send) => {
            Action::Send { client: send.client, command: send.text.clone(), script: send.script }
        }
        timeline::Action::Clock(_) => {
            Action::Clock { text: step.text.trim_start_matches('@').trim().to_owned() }
        }
        timeline::Action::Restart { keep_data: true } => Action::Server { event: ServerEvent::Restart },
        timeline::Action::Restart { keep_data: false } => Action::Server { event: ServerEvent::RestartEmpty },
        timeline::Action::Failover => Action::Server { event: ServerEvent::Failover },
        timeline::Action::Replicate { link_up: true } => Action::Server { event: ServerEvent::Replica },
        timeline::Action::Replicate { link_up: false } => Action::Server { event: ServerEvent::ReplicaDown },
    };
    let predict = step.predict.as_ref().map(|predict| story::Predict {
        question: predict.question.clone(),
        choices: predict.choices.iter().map(|choice| (choice.text.clone(), choice.is_right)).collect(),
    });
    Line { line: step.line, action, remarks: step.remarks.clone(), predict }
}

pub(crate) fn diagnostic(diagnostic: &Diagnostic) -> story::Diagnostic {
    let Diagnostic { line, column, message, help } = diagnostic.clone();
    story::Diagnostic { line, column, message, help }
}

/// A set-up that no server takes, at its place in the text.
pub(crate) fn bad_setup(text: &str, scenario: &Scenario, message: String) -> story::Diagnostic {
    let names: Vec<&str> = scenario.setup.config.iter().map(|(name, _)| name.as_str()).collect();
    let is_meant = |line: &str| {
        let name = line.trim().strip_prefix('@').and_then(|line| line.trim().strip_prefix("config "));
        name.is_some_and(|rest| {
            names.iter().any(|name| rest.trim().starts_with(name) && message.contains(name))
        })
    };
    let line = text.lines().position(is_meant).map_or(1, |line| line + 1);
    story::Diagnostic { line, column: 1, message, help: String::new() }
}
