//! A Markdown file, cut into front matter, prose and fences. Knows nothing of commands.

use std::ops::Range;

use super::diagnostic::Diagnostics;
use super::scenario::Meta;

/// A file's lines and what they are part of. Lines count from 0.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) meta: Meta,
    pub(super) parts: Vec<Part>,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    /// Without the lines of the fences.
    pub(super) lines: Range<usize>,
    /// The blanks in front of an indented fence, which its lines share.
    pub(super) indent: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Prose,
    Lua {
        name: String,
    },
    /// Steps, and the timeline they are part of, from 0.
    Redis {
        timeline: usize,
    },
}

/// An open fence.
struct Opened {
    mark: char,
    len: usize,
    indent: usize,
    line: usize,
    /// None: a fence of another language, which is prose.
    kind: Option<PartKind>,
}

pub(super) fn read(lines: &[&str], diagnostics: &mut Diagnostics) -> Document {
    if is_bare(lines) {
        let part = Part { kind: PartKind::Redis { timeline: 0 }, lines: 0..lines.len(), indent: 0 };
        return Document { meta: Meta::default(), parts: vec![part] };
    }
    let (meta, body) = front_matter(lines, diagnostics);
    let mut document = Document { meta, parts: Vec::new() };
    let mut prose_from = body;
    let mut open: Option<Opened> = None;
    for (number, line) in lines.iter().enumerate().skip(body) {
        match &open {
            None => {
                let Some(fence) = opening(line, number, diagnostics) else { continue };
                if fence.kind.is_some() {
                    document.push(PartKind::Prose, prose_from..number, 0);
                }
                open = Some(fence);
            }
            Some(fence) if closes(line, fence) => {
                let Some(Opened { kind, indent, line: from, .. }) = open.take() else { continue };
                if let Some(kind) = kind {
                    document.push(kind, from + 1..number, indent);
                    prose_from = number + 1;
                }
            }
            Some(_) => {}
        }
    }
    match open {
        Some(Opened { kind: Some(kind), line, indent, mark, len }) => {
            let fence = mark.to_string().repeat(len);
            diagnostics.push(
                (line, lines[line], indent),
                "this fence is never closed",
                format!("end it with {fence}"),
            );
            document.push(kind, line + 1..lines.len(), indent);
        }
        _ => document.push(PartKind::Prose, prose_from..lines.len(), 0),
    }
    if document.meta.title.is_empty() {
        document.meta.title = first_heading(lines, &document).unwrap_or_default();
    }
    document
}

impl Document {
    /// A `redis` fence continues the timeline of the one before it, unless it says that it begins a `new` one.
    fn push(&mut self, mut kind: PartKind, lines: Range<usize>, indent: usize) {
        if let PartKind::Redis { timeline: opens } = &mut kind {
            let before = self.parts.iter().rev().find_map(|part| match part.kind {
                PartKind::Redis { timeline } => Some(timeline),
                _ => None,
            });
            *opens = before.map_or(0, |timeline| timeline + *opens);
        }
        self.parts.push(Part { kind, lines, indent });
    }

    pub(super) fn timelines(&self) -> usize {
        let numbers = self.parts.iter().filter_map(|part| match part.kind {
            PartKind::Redis { timeline } => Some(timeline + 1),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }
}

/// A fence of a page that is part of its scenarios. Lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    pub kind: FenceKind,
    /// Those between the marks.
    pub lines: Range<usize>,
    /// The blanks in front of its lines.
    pub indent: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenceKind {
    /// A script with a name.
    Lua(String),
    /// Steps, and the timeline they are part of, from 0.
    Redis(usize),
}

/// The fences of a page, for who puts something else in their place. A text without Markdown has none.
pub fn fences(text: &str) -> Vec<Fence> {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    if is_bare(&lines) {
        return Vec::new();
    }
    let parts = read(&lines, &mut Diagnostics::default()).parts;
    let fence = |part: Part| {
        let kind = match part.kind {
            PartKind::Prose => return None,
            PartKind::Lua { name } => FenceKind::Lua(name),
            PartKind::Redis { timeline } => FenceKind::Redis(timeline),
        };
        Some(Fence { kind, lines: part.lines, indent: part.indent })
    };
    parts.into_iter().filter_map(fence).collect()
}

/// Steps without any Markdown around them, as one types them into a prompt or a link: they are one fence.
fn is_bare(lines: &[&str]) -> bool {
    let has_fence = lines.iter().any(|line| line.trim_start().starts_with("```"));
    let first = lines.iter().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    !has_fence && first.is_some_and(|line| line.starts_with("@ ") || super::line::label(line).is_some())
}

fn opening(line: &str, number: usize, diagnostics: &mut Diagnostics) -> Option<Opened> {
    let unindented = line.trim_start_matches(' ');
    let indent = line.len() - unindented.len();
    let mark = unindented.chars().next().filter(|mark| "`~".contains(*mark))?;
    let info = unindented.trim_start_matches(mark);
    let len = unindented.len() - info.len();
    if len < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    let mut words = info.split_whitespace();
    let kind = match (words.next(), words.next()) {
        // An illustration too: of another tool's output, or in a notation of its own.
        (Some("redis"), Some("skip")) => None,
        (Some("redis"), word) => Some(PartKind::Redis { timeline: usize::from(word == Some("new")) }),
        // Without a name it is an illustration.
        (Some("lua"), Some(name)) => {
            if !is_script_name(name) {
                let place = (number, line, line.find(name).unwrap_or_default());
                let help = "use letters, digits, `_` and `-`, a letter first";
                diagnostics.push(place, format!("{name:?} can't name a script"), help);
            }
            Some(PartKind::Lua { name: name.to_owned() })
        }
        _ => None,
    };
    Some(Opened { mark, len, indent, line: number, kind })
}

fn closes(line: &str, fence: &Opened) -> bool {
    let line = line.trim();
    line.len() >= fence.len && line.chars().all(|mark| mark == fence.mark)
}

/// Names of clients and scripts.
pub(super) fn is_script_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The front matter and the line behind it. Keys that are not known belong to the tool that makes a site of the page, and
/// so does front matter between `+++`, which is TOML.
fn front_matter(lines: &[&str], diagnostics: &mut Diagnostics) -> (Meta, usize) {
    let mut meta = Meta::default();
    let mark = lines.first().map_or("", |line| line.trim_end());
    let sign = match mark {
        "---" => ':',
        "+++" => '=',
        _ => return (meta, 0),
    };
    let mut key = "";
    for (number, line) in lines.iter().enumerate().skip(1) {
        if line.trim_end() == mark {
            return (meta, number + 1);
        }
        let item = line.trim_start().strip_prefix("- ").filter(|_| key == "tags");
        if let Some(item) = item {
            meta.tags.extend(tags(item));
        } else if let Some((name, value)) = line.split_once(sign).filter(|_| !line.starts_with([' ', '#'])) {
            key = name.trim();
            let value = unquoted(value);
            match key {
                "title" => value.clone_into(&mut meta.title),
                "summary" => value.clone_into(&mut meta.summary),
                "course" => value.clone_into(&mut meta.course),
                "next" => value.clone_into(&mut meta.next),
                "tags" => meta.tags = tags(value),
                "order" => match value.parse() {
                    Ok(order) => meta.order = Some(order),
                    Err(_) => {
                        let place = (number, *line, line.len() - value.len());
                        diagnostics.push(place, "order must be a whole number", "");
                    }
                },
                _ => {}
            }
        }
    }
    diagnostics.push((0, lines[0], 0), "the front matter never ends", format!("end it with a line `{mark}`"));
    (meta, lines.len())
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(value)
}

fn tags(value: &str) -> Vec<String> {
    let list = value.trim_start_matches('[').trim_end_matches(']');
    list.split(',').map(|tag| unquoted(tag).to_owned()).filter(|tag| !tag.is_empty()).collect()
}

fn first_heading(lines: &[&str], document: &Document) -> Option<String> {
    let prose = document.parts.iter().filter(|part| part.kind == PartKind::Prose);
    let mut lines = prose.flat_map(|part| &lines[part.lines.clone()]);
    let heading = lines.find(|line| line.starts_with("# "))?;
    Some(heading.trim_start_matches('#').trim().to_owned())
}
