//! Edits to a text: what they do not touch stays as it is, byte for byte.

use super::compare::Edit;

/// The text with all edits made. Lines that are put in get the file's line end.
pub fn rewrite(text: &str, edits: &[Edit]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let line_end = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut edits: Vec<&Edit> = edits.iter().collect();
    // From the end to the front, so that line numbers stay true; insertions at one place keep their order.
    edits.sort_by_key(|edit| (edit.lines.start, edit.lines.end));
    for edit in edits.into_iter().rev() {
        let start = edit.lines.start.min(lines.len());
        let end = edit.lines.end.clamp(start, lines.len());
        let like = lines.get(edit.like).map_or("", String::as_str);
        let indent = " ".repeat(like.len() - like.trim_start_matches(' ').len());
        // A command may end the file without a line end.
        let above = start.checked_sub(1).and_then(|above| lines.get_mut(above));
        if let Some(above) = above.filter(|above| !above.ends_with('\n') && !edit.with.is_empty()) {
            above.push_str(line_end);
        }
        let with = edit.with.iter().map(|line| format!("{indent}{line}{line_end}"));
        lines.splice(start..end, with);
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, edits: &[(std::ops::Range<usize>, &[&str])], expected: &str) {
        let edits: Vec<Edit> = edits
            .iter()
            .map(|(lines, with)| Edit {
                lines: lines.clone(),
                with: with.iter().map(|line| (*line).to_owned()).collect(),
                like: 0,
            })
            .collect();
        assert_eq!(rewrite(text, &edits), expected);
    }

    #[test]
    fn only_the_named_lines_change() {
        check("a\r\nb \r\nc", &[(1..2, &["x", "y"])], "a\r\nx\r\ny\r\nc");
        check("a\nb\nc\n", &[(1..1, &["x"]), (2..3, &[])], "a\nx\nb\n");
        check("  a\n  b\n", &[(1..1, &["x"]), (1..1, &["y"])], "  a\n  x\n  y\n  b\n");
        check("a", &[(1..1, &["x"])], "a\nx\n");
        check("a\n", &[], "a\n");
    }
}
