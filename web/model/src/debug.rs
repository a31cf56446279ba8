//! A script's run as the page's debugger shows it. Points of the run count from 0; the point behind the last is its end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::step::Reply;

/// A recording that has been opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    pub step: usize,
    /// Which of the step's runs this is, and how many there are: EXEC can have several.
    pub run: usize,
    pub runs: usize,
    /// The function's name, or the SHA1.
    pub name: String,
    /// The script's text, or that of the whole library.
    pub source: String,
    pub keys: Vec<String>,
    pub args: Vec<String>,
}

/// What is seen at a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    pub point: usize,
    /// How many points are known, and whether there are more.
    pub points: usize,
    pub more: bool,
    /// The line that is run next, from 1; or the line that called the server. None at the end, and in text that the
    /// script has loaded.
    pub line: Option<u32>,
    /// The line that the run goes on to.
    pub next_line: Option<u32>,
    /// A call of the server was just answered: the last one of `calls`.
    pub in_call: bool,
    pub instructions: u64,
    /// Since the story began.
    pub time_us: u64,
    /// The innermost function first; empty at the end.
    pub stack: Vec<Level>,
    /// The last ones, the newest last.
    pub calls: Vec<Call>,
    pub calls_total: usize,
    /// Keys that are not what they were when the script began: the other clients still see them as they were.
    pub changed: Vec<KeyNow>,
    /// One for each expression that was asked for: its value, or what is wrong with it.
    pub watched: Vec<Watched>,
    /// Set at the end of the run.
    pub end: Option<End>,
}

/// A key that the script has changed by now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyNow {
    pub db: usize,
    pub key: String,
    /// As the other clients see it, and as the script does; none where there is no such key.
    pub before: Option<String>,
    pub now: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// What the function is called; empty where that is not known.
    pub name: String,
    pub kind: LevelKind,
    /// None in the server's own functions.
    pub line: Option<u32>,
    /// The function was written in the script itself.
    pub in_script: bool,
    /// The next level has resumed a coroutine, whose first function this is.
    pub coroutine: bool,
    pub locals: Vec<Variable>,
    pub upvalues: Vec<Variable>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelKind {
    #[default]
    Main,
    Lua,
    Native,
    Tail,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    /// As `type` names it.
    pub kind: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    pub kind: String,
    /// The value, or Lua's message.
    pub value: String,
    pub failed: bool,
}

/// A call of the server, with the reply in its two forms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// From 1.
    pub number: usize,
    pub line: u32,
    pub command: String,
    /// As redis-cli prints it.
    pub reply: String,
    /// The bytes of the reply as a client gets them, escaped.
    pub resp: String,
    pub lua_kind: String,
    pub lua: String,
    /// The Lua value was raised as an error.
    pub raised: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub how: Ending,
    pub reply: Option<Reply>,
    /// What the script returned or raised.
    pub lua_kind: String,
    pub lua: String,
    /// A KILL was raised, which the script may have caught.
    pub killed: bool,
    /// There are so many points that the last ones cannot be shown.
    pub unlisted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Returned,
    Failed,
    Killed,
    /// The server's process has ended over it.
    Crashed,
    /// It has not ended at the end of the story.
    Running,
}

/// Where to go in a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Move {
    /// To a point; the end is behind the last.
    To(usize),
    End,
    In,
    Over,
    Out,
    Back,
    BackOver,
    BackOut,
    NextCall,
    PreviousCall,
    /// To the next breakpoint, or the one before.
    Run,
    RunBack,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    pub line: u32,
    /// A Lua expression; empty for none.
    pub condition: String,
}

/// Breakpoints of one script, by line from 1: conditions, of which an empty one always holds.
pub type Breakpoints = BTreeMap<u32, String>;

/// Breakpoints where their lines are in a changed text. Those above the change stay, those below it go with their lines, and
/// those within it stay as long as there is such a line.
pub fn moved(breakpoints: &Breakpoints, before: &str, after: &str) -> Breakpoints {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let shorter = before.len().min(after.len());
    let same = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let same_behind = before.iter().rev().zip(after.iter().rev());
    let same_behind = same_behind.take(shorter - same).take_while(|(one, other)| one == other).count();
    let place = |line: u32| {
        let index = line as usize - 1;
        if index >= before.len() - same_behind {
            Some((index + after.len() - before.len()) as u32 + 1)
        } else {
            Some(line).filter(|_| index < after.len() - same_behind)
        }
    };
    breakpoints.iter().filter_map(|(line, condition)| Some((place(*line)?, condition.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[u32]) {
        let breakpoints: Breakpoints =
            (1..=before.lines().count() as u32).map(|line| (line, line.to_string())).collect();
        let lines: Vec<u32> = moved(&breakpoints, before, after).into_keys().collect();
        assert_eq!(lines, expected, "{before:?} to {after:?}");
    }

    #[test]
    fn breakpoints_stay_with_their_lines() {
        check("a\nb\nc", "a\nb\nc", &[1, 2, 3]);
        check("a\nb\nc", "new\na\nb\nc", &[2, 3, 4]);
        check("a\nb\nc", "a\nc", &[1, 2]);
        check("a\nb\nc", "a\nB\nc", &[1, 2, 3]);
        check("a\nb\nc", "a\nB\nmore\nc", &[1, 2, 4]);
        check("a\na\na", "a", &[1]);
        check("a\nb", "", &[]);
    }
}
