//! The core's notes and conversions as the page shows them.

use playground_core::explain::Explained;
use playground_model::note::{Conversion, ConversionLine, Note};

/// Each with the step it is about.
pub(crate) fn notes(during: usize, explained: &Explained) -> impl Iterator<Item = (usize, Note)> {
    explained.notes.iter().map(move |note| {
        let kind = note.kind;
        let shown = Note {
            id: kind.id.to_owned(),
            during,
            title: kind.title.to_owned(),
            what: note.what.clone(),
            why: kind.why.to_owned(),
            advice: kind.advice.to_owned(),
            docs: kind.docs.to_owned(),
            example: kind.example.trim_end_matches(".md").to_owned(),
            mentions: note.mentions.clone(),
        };
        (note.step, shown)
    })
}

/// Those that lost something, each with the step that sent the script.
pub(crate) fn conversions(during: usize, explained: &Explained) -> impl Iterator<Item = (usize, Conversion)> {
    let line = |line: &playground_core::explain::Line| ConversionLine {
        depth: line.depth,
        lua: line.lua.iter().map(|piece| (piece.text.clone(), piece.kept)).collect(),
        reply: line.reply.clone(),
        rule: line.rule.name().to_owned(),
        loses: line.rule.loses(),
    };
    let losing = |conversion: &playground_core::explain::Conversion| {
        conversion.lines.iter().any(|line| line.rule.loses())
    };
    let found = explained.conversions.iter().filter(move |(_, conversion)| losing(conversion));
    found.map(move |(step, conversion)| {
        (*step, Conversion { during, lines: conversion.lines.iter().map(line).collect() })
    })
}
