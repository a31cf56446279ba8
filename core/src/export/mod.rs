//! A story that has been run, in forms that others take: a transcript, programs that replay it, a picture.
//!
//! Everything is made from the run: what was really sent, what came back and when. Nothing here runs a server.

mod javascript;
mod played;
mod rust;
mod shell;
mod svg;
mod transcript;

use crate::timeline::Timeline;

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What the clients typed and saw, as redis-cli prints it.
    Transcript,
    /// A shell script that plays the story to a real server by redis-cli and prints such a transcript.
    Shell,
    /// A Rust test that runs the story on the engine.
    Rust,
    /// A test for Node.js that plays the story to a real server through the package ioredis.
    JavaScript,
    /// The lanes as a picture that needs nothing else.
    Svg(Theme),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the reader's system has it.
    #[default]
    Auto,
    Light,
    Dark,
}

impl Form {
    pub const NAMES: [&'static str; 5] = ["transcript", "shell", "rust", "js", "svg"];

    pub fn parse(name: &str, theme: Theme) -> Option<Self> {
        match name {
            "transcript" => Some(Self::Transcript),
            "shell" => Some(Self::Shell),
            "rust" => Some(Self::Rust),
            "js" => Some(Self::JavaScript),
            "svg" => Some(Self::Svg(theme)),
            _ => None,
        }
    }

    /// What a file of this form is called behind the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Transcript => "txt",
            Self::Shell => "sh",
            Self::Rust => "rs",
            Self::JavaScript => "test.mjs",
            Self::Svg(_) => "svg",
        }
    }
}

impl Theme {
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "light" => Some(Self::Light),
            "dark" => Some(Self::Dark),
            _ => None,
        }
    }
}

/// `text`: the scenario as it is written; `timeline`: its run, to the end.
pub fn export(text: &str, timeline: &Timeline, form: Form) -> String {
    let played = played::Played::new(timeline);
    match form {
        Form::Transcript => transcript::write(&played),
        Form::Shell => shell::write(&played),
        Form::Rust => rust::write(text, &played),
        Form::JavaScript => javascript::write(&played),
        Form::Svg(theme) => svg::write(&played, theme),
    }
}
