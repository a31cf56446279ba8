//! Stories and scripts: text in, JSON out, as the command line's `--json` has it for one file.

use playground_core::timeline::explore::{Method, Replies};
use playground_report::{ExploreOptions, RunOptions};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::options::version;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    version: Option<String>,
    explain: bool,
    max_states: Option<usize>,
    /// Draw so many orders by chance, not all.
    sample: Option<u64>,
    seed: u64,
    replies: Option<String>,
    clock: Option<String>,
}

/// Runs a story and compares every reply that it expects. `options`: JSON of [`Asked`].
#[wasm_bindgen]
pub fn run(name: &str, text: &str, options: &str) -> String {
    told(run_json(name, text, options))
}

/// Plays a story in every order in which its clients can act. `options`: JSON of [`Asked`].
#[wasm_bindgen]
pub fn explore(name: &str, text: &str, options: &str) -> String {
    told(explore_json(name, text, options))
}

/// Looks at a script where the name ends in `.lua`, else at a story.
#[wasm_bindgen]
pub fn lint(name: &str, text: &str) -> String {
    playground_report::lint(name, text).json().to_string()
}

/// What can't be asked is told in a field of its own.
fn told(answer: Result<Value, String>) -> String {
    answer.unwrap_or_else(|reason| json!({ "refused": reason })).to_string()
}

fn run_json(name: &str, text: &str, options: &str) -> Result<Value, String> {
    let asked = asked(options)?;
    let version = asked.version.as_deref().map(version).transpose()?;
    let options = RunOptions { version, explain: asked.explain, steps: true };
    Ok(playground_report::run(name, text, options).json())
}

fn explore_json(name: &str, text: &str, options: &str) -> Result<Value, String> {
    let asked = asked(options)?;
    let mut wanted = ExploreOptions {
        version: asked.version.as_deref().map(version).transpose()?,
        ..ExploreOptions::default()
    };
    if let Some(most) = asked.max_states {
        wanted.options.states_max = most;
    }
    if let Some(runs) = asked.sample {
        wanted.options.method = Method::Sample { runs, seed: asked.seed };
    }
    wanted.options.replies = match asked.replies.as_deref() {
        None => wanted.options.replies,
        Some("none") => Replies::None,
        Some("last") => Replies::Last,
        Some("all") => Replies::All,
        Some(other) => return Err(format!("replies: {other:?} is not none, last or all")),
    };
    wanted.clock_free = match asked.clock.as_deref() {
        None => None,
        Some("free") => Some(true),
        Some("pinned") => Some(false),
        Some(other) => return Err(format!("clock: {other:?} is not free or pinned")),
    };
    Ok(playground_report::explore(text, &wanted).json(name))
}

fn asked(options: &str) -> Result<Asked, String> {
    serde_json::from_str(options).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_run_explored_and_linted() {
        let story = "```redis\nA> INCR n\n(integer) 1\nB> INCR n\n(integer) 3\n@ finally GET n\n\"2\"\n```\n";
        let ran: Value = serde_json::from_str(&run("s.md", story, "{}")).unwrap();
        assert_eq!(ran["state"], "differs");
        assert_eq!(ran["differences"][0]["got"], "(integer) 2");
        assert_eq!(ran["steps"][0]["reply"], "(integer) 1");
        let explored: Value = serde_json::from_str(&explore("s.md", story, r#"{"replies":"none"}"#)).unwrap();
        assert_eq!((&explored["state"], &explored["parts"][0]["schedules"]), (&"ok".into(), &"2".into()));
        let linted: Value = serde_json::from_str(&lint("s.lua", "x = 1")).unwrap();
        assert_eq!(linted["findings"][0]["line"], 1);
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_a_reason() {
        let refused = |options, why: &str| {
            let answer: Value = serde_json::from_str(&explore("s", "", options)).unwrap();
            assert!(answer["refused"].as_str().unwrap().contains(why), "{answer}");
        };
        refused(r#"{"replies":"some"}"#, "none, last or all");
        refused(r#"{"version":"5"}"#, "no Redis");
        refused(r#"{"max_stats":1}"#, "unknown field");
    }
}
