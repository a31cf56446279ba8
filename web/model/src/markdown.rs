//! The Markdown of a story's prose, as far as stories use it: headings, paragraphs, lists, quotes, code and tables;
//! in a line emphasis, code and links. Whatever is not understood stays text: nothing is lost, nothing is HTML.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The level, from 1.
    Heading(usize, Vec<Inline>),
    Paragraph(Vec<Inline>),
    List {
        ordered: bool,
        items: Vec<Vec<Inline>>,
    },
    Quote(Vec<Inline>),
    Code {
        language: String,
        text: String,
    },
    /// The first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Link { text: Vec<Inline>, target: String },
}

pub fn parse(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (block, next) = block(&lines, at);
        blocks.extend(block);
        at = next;
    }
    blocks
}

/// The block that begins at a line, and the line behind it.
fn block(lines: &[&str], at: usize) -> (Option<Block>, usize) {
    let line = lines[at].trim();
    if line.is_empty() {
        return (None, at + 1);
    }
    if let Some(fence) = fence(line) {
        return code(lines, at, fence);
    }
    if let Some((level, text)) = heading(line) {
        return (Some(Block::Heading(level, inlines(text))), at + 1);
    }
    if is_rule(line) {
        return (Some(Block::Rule), at + 1);
    }
    if line.starts_with('>') {
        let next = run(lines, at, |line| line.starts_with('>'));
        let text = join(&lines[at..next], |line| line.trim_start_matches('>'));
        return (Some(Block::Quote(inlines(&text))), next);
    }
    if line.starts_with('|') {
        let next = run(lines, at, |line| line.starts_with('|'));
        return (Some(table(&lines[at..next])), next);
    }
    if let Some((ordered, _)) = item(line) {
        return list(lines, at, ordered);
    }
    let next = run(lines, at, |line| !line.is_empty() && !interrupts(line));
    // What looks like the begin of something else and is not is text all the same.
    let next = next.max(at + 1);
    (Some(Block::Paragraph(inlines(&join(&lines[at..next], |line| line)))), next)
}

/// The line behind those from `at` on that will do.
fn run(lines: &[&str], at: usize, will_do: impl Fn(&str) -> bool) -> usize {
    lines[at..].iter().position(|line| !will_do(line.trim())).map_or(lines.len(), |count| at + count)
}

fn interrupts(line: &str) -> bool {
    fence(line).is_some()
        || heading(line).is_some()
        || is_rule(line)
        || line.starts_with(['>', '|'])
        || item(line).is_some()
}

fn join<'a>(lines: &[&'a str], strip: impl Fn(&'a str) -> &'a str) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| strip(line.trim()).trim()).collect();
    lines.join(" ")
}

fn fence(line: &str) -> Option<&str> {
    let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))?;
    let length = line.len() - line.trim_start_matches(&mark[..1]).len();
    Some(&line[..length])
}

fn code(lines: &[&str], at: usize, fence: &str) -> (Option<Block>, usize) {
    let mark = fence.chars().next().unwrap_or_default();
    let info = lines[at].trim().trim_start_matches(mark).trim();
    let language = info.split_whitespace().next().unwrap_or_default().to_owned();
    let is_end = |line: &&str| line.trim().len() >= fence.len() && line.trim().chars().all(|c| c == mark);
    let body = &lines[at + 1..];
    let end = body.iter().position(is_end).unwrap_or(body.len());
    (Some(Block::Code { language, text: body[..end].join("\n") }), at + end + 2)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| (level, text.trim()))
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ['-', '*', '_'].iter().any(|mark| line.chars().all(|c| c == *mark))
}

/// Whether a list's item is numbered, and its text.
fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(text) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some((false, text));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let text = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))?;
    (1..=9).contains(&digits).then_some((true, text))
}

fn list(lines: &[&str], at: usize, ordered: bool) -> (Option<Block>, usize) {
    let mut items: Vec<String> = Vec::new();
    let mut next = at;
    while let Some(line) = lines.get(next).map(|line| line.trim()) {
        match (item(line), items.last_mut()) {
            (Some((kind, text)), _) if kind == ordered => items.push(text.trim().to_owned()),
            (None, Some(last)) if !line.is_empty() && !interrupts(line) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => break,
        }
        next += 1;
    }
    (Some(Block::List { ordered, items: items.iter().map(|text| inlines(text)).collect() }), next)
}

fn table(lines: &[&str]) -> Block {
    let is_separator = |line: &str| line.trim().bytes().all(|byte| b"|-: ".contains(&byte));
    let cells = |line: &&str| {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| inlines(cell.trim())).collect()
    };
    Block::Table(lines.iter().filter(|line| !is_separator(line)).map(cells).collect())
}

/// The marks inside of a line.
fn inlines(text: &str) -> Vec<Inline> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((inline, after)) = mark(rest, plain.chars().last()) {
            flush(&mut plain, &mut found);
            found.push(inline);
            rest = after;
            continue;
        }
        let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next());
        let (kept, length) = match escaped.filter(char::is_ascii_punctuation) {
            Some(escaped) => (escaped, 1 + escaped.len_utf8()),
            None => (first, first.len_utf8()),
        };
        plain.push(kept);
        rest = &rest[length..];
    }
    flush(&mut plain, &mut found);
    found
}

fn flush(plain: &mut String, found: &mut Vec<Inline>) {
    if !plain.is_empty() {
        found.push(Inline::Text(std::mem::take(plain)));
    }
}

/// What begins at the begin of the text, and the text behind it.
fn mark(text: &str, before: Option<char>) -> Option<(Inline, &str)> {
    let within_word = before.is_some_and(char::is_alphanumeric);
    match text.as_bytes()[0] {
        b'`' => {
            let ticks = text.len() - text.trim_start_matches('`').len();
            let (code, after) = until(&text[ticks..], &text[..ticks])?;
            Some((Inline::Code(code.trim_matches(' ').to_owned()), after))
        }
        b'*' | b'_' if !within_word || text.starts_with('*') => {
            let single = &text[..1];
            if let Some(inner) = text.strip_prefix(&single.repeat(2) as &str) {
                let (inner, after) = emphasised(inner, &single.repeat(2))?;
                return Some((Inline::Strong(inlines(inner)), after));
            }
            let (inner, after) = emphasised(&text[1..], single)?;
            Some((Inline::Emphasis(inlines(inner)), after))
        }
        b'[' => {
            let (label, after) = until(&text[1..], "](")?;
            let (target, after) = until(after, ")")?;
            let target = is_safe(target).then(|| target.to_owned())?;
            Some((Inline::Link { text: inlines(label), target }, after))
        }
        b'<' => {
            let (target, after) = until(&text[1..], ">")?;
            let is_address = target.starts_with("https://") || target.starts_with("http://");
            let text = vec![Inline::Text(target.to_owned())];
            is_address.then(|| (Inline::Link { text, target: target.to_owned() }, after))
        }
        _ => None,
    }
}

/// The text up to a mark that is not empty, and the text behind the mark.
fn until<'a>(text: &'a str, end: &str) -> Option<(&'a str, &'a str)> {
    let at = text.find(end).filter(|at| *at > 0)?;
    Some((&text[..at], &text[at + end.len()..]))
}

/// Emphasis has no blank on its inner sides, so that `2 * 3 * 4` is none.
fn emphasised<'a>(text: &'a str, end: &str) -> Option<(&'a str, &'a str)> {
    let (inner, after) = until(text, end)?;
    let is_tight = !inner.starts_with(char::is_whitespace) && !inner.ends_with(char::is_whitespace);
    let ends_a_word = end.starts_with('*') || !after.starts_with(char::is_alphanumeric);
    (is_tight && ends_a_word).then_some((inner, after))
}

/// A link may lead to a page, and do nothing else.
fn is_safe(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().and_then(|head| head.split_once(':'));
    scheme.is_none_or(|(scheme, _)| matches!(scheme, "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text(text.to_owned())
    }

    fn code(text: &str) -> Inline {
        Inline::Code(text.to_owned())
    }

    #[track_caller]
    fn check_line(line: &str, expected: &[Inline]) {
        assert_eq!(parse(line), [Block::Paragraph(expected.to_vec())]);
    }

    #[test]
    fn lines_have_emphasis_code_and_links() {
        check_line(
            "A **holds** the `lock`, *not* B.",
            &[
                text("A "),
                Inline::Strong(vec![text("holds")]),
                text(" the "),
                code("lock"),
                text(", "),
                Inline::Emphasis(vec![text("not")]),
                text(" B."),
            ],
        );
        let target = "https://redis.io/docs".to_owned();
        check_line(
            "[the docs](https://redis.io/docs)",
            &[Inline::Link { text: vec![text("the docs")], target }],
        );
    }

    #[test]
    fn what_is_no_mark_is_text() {
        for plain in
            ["2 * 3 * 4", "snake_case_name", "a ` alone", "[no link]", "**", "[x](javascript:alert)", "1 < 2"]
        {
            check_line(plain, &[text(plain)]);
        }
        check_line(r"\*stars\*", &[text("*stars*")]);
        check_line("``a`b``", &[code("a`b")]);
    }

    #[test]
    fn blocks_follow_each_other() {
        let blocks = parse(
            "# Title\n\nOne\nparagraph.\n- a\n  more\n- b\n\n1. x\n> q\n> r\n---\n```lua\nx = 1\n\n```\nend",
        );
        assert_eq!(
            blocks,
            [
                Block::Heading(1, vec![text("Title")]),
                Block::Paragraph(vec![text("One paragraph.")]),
                Block::List { ordered: false, items: vec![vec![text("a more")], vec![text("b")]] },
                Block::List { ordered: true, items: vec![vec![text("x")]] },
                Block::Quote(vec![text("q r")]),
                Block::Rule,
                Block::Code { language: "lua".to_owned(), text: "x = 1\n".to_owned() },
                Block::Paragraph(vec![text("end")]),
            ]
        );
    }

    #[test]
    fn tables_have_rows_of_cells() {
        let Block::Table(rows) = &parse("| a | b |\n|---|---|\n| `1` | 2 |")[0] else { panic!("no table") };
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1], [vec![code("1")], vec![text("2")]]);
    }

    #[test]
    fn nothing_breaks_it() {
        for odd in ["```", "#", "#hash", "|", "> ", "-", "*", "1.", "[](", "`", "é*è*", "\\", "***", "<>"] {
            let _ = parse(odd);
        }
    }
}
