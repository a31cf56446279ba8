//! `playground embed` and `playground mdbook`: fences of Markdown become `<redis-playground>` elements.
//!
//! A reader without scripts sees the fence as it was. An element that continues a timeline brings along what went before
//! it, hidden, and opens at its own first step.

use std::io::Read as _;
use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::timeline::{Fence, FenceKind, fences, parse_page};
use serde_json::Value;

use crate::Unusable;
use crate::output::{say, show};
use crate::run::read;

/// Prints a page, or what comes in, with its fences replaced.
pub(crate) fn run(mut args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let (mut file, mut src) = (None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("src") => src = Some(args.value()?.string()?),
            Arg::Value(name) if file.is_none() => file = Some(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let text = match file {
        Some(file) => read(&file)?,
        None => std::io::read_to_string(std::io::stdin())?,
    };
    show!("{}", page(&text, src.as_deref()));
    Ok(ExitCode::SUCCESS)
}

/// A preprocessor of mdBook: the book comes in as JSON and goes out again.
pub(crate) fn mdbook(mut args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    if let Some(Arg::Value(word)) = args.next()? {
        let renderer = args.value()?.string()?;
        let is_asked = word == "supports";
        return Ok(if is_asked && renderer == "html" { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let told = serde_json::from_str(&input)?;
    let Value::Array(told) = told else {
        return Err(Unusable("mdbook: expected [context, book] as mdBook sends it".to_owned()));
    };
    let [context, book] = told.as_slice() else {
        return Err(Unusable("mdbook: expected [context, book] as mdBook sends it".to_owned()));
    };
    let Some(src) = context.pointer("/config/preprocessor/playground/src").and_then(Value::as_str) else {
        let message =
            "mdbook: where is embed.js? In book.toml: [preprocessor.playground] src = \"https://…/embed.js\"";
        return Err(Unusable(message.to_owned()));
    };
    let mut book = book.clone();
    each_chapter(&mut book, &|content| page(content, Some(src)));
    say!("{book}");
    Ok(ExitCode::SUCCESS)
}

/// Chapters are nested, in lists whose names differ between versions of mdBook.
fn each_chapter(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(content)) =
                fields.get_mut("Chapter").and_then(|chapter| chapter.get_mut("content"))
            {
                *content = change(content);
            }
            fields.values_mut().for_each(|value| each_chapter(value, change));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| each_chapter(value, change)),
        _ => {}
    }
}

/// The page with an element for each `redis` fence, and `src` asked for once where there is one.
fn page(text: &str, src: Option<&str>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let all = fences(text);
    if !all.iter().any(|fence| matches!(fence.kind, FenceKind::Redis(_))) {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut next = 0;
    for (index, fence) in all.iter().enumerate() {
        let FenceKind::Redis(timeline) = fence.kind else { continue };
        let opening = fence.lines.start.saturating_sub(1);
        lines[next..opening].iter().for_each(|line| out += &format!("{line}\n"));
        let before: Vec<&Fence> =
            all[..index].iter().filter(|other| other.kind == FenceKind::Redis(timeline)).collect();
        out += &element(text, &lines, &all, &before, fence);
        next = (fence.lines.end + 1).min(lines.len());
    }
    lines[next..].iter().for_each(|line| out += &format!("{line}\n"));
    if let Some(src) = src {
        out += &format!("\n<script type=\"module\" src=\"{}\"></script>\n", escaped(src));
    }
    out
}

fn element(text: &str, lines: &[&str], all: &[Fence], before: &[&Fence], fence: &Fence) -> String {
    let own = inner(lines, fence);
    let FenceKind::Redis(timeline) = fence.kind else { return own };
    let scenario = &parse_page(text)[timeline].0;
    // Steps count from 1 in the page; the element opens before its own.
    let step = scenario.steps.iter().filter(|step| step.line <= fence.lines.start).count();
    let scripts: String = all
        .iter()
        .filter_map(|script| match &script.kind {
            FenceKind::Lua(name) => Some(format!("```lua {name}\n{}\n```\n", inner(lines, script))),
            FenceKind::Redis(_) => None,
        })
        .collect();
    let mut html = format!("<redis-playground step=\"{step}\">\n");
    if !(scripts.is_empty() && before.is_empty()) {
        let steps =
            before.iter().chain([&fence]).map(|fence| format!("```redis\n{}\n```\n", inner(lines, fence)));
        html += &format!("<pre hidden>{}</pre>\n", escaped(&(scripts + &steps.collect::<String>())));
    }
    html +=
        &format!("<pre><code class=\"language-redis\">{}</code></pre>\n</redis-playground>\n", escaped(&own));
    let indent = " ".repeat(fence.indent);
    html.lines().map(|line| format!("{indent}{line}\n")).collect()
}

fn inner(lines: &[&str], fence: &Fence) -> String {
    let unindented = lines[fence.lines.clone()].iter().map(|line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        &line[blanks.min(fence.indent)..]
    });
    unindented.collect::<Vec<_>>().join("\n")
}

/// As text of HTML. A blank line would end the HTML in Markdown.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.replace("\n\n", "\n&#10;")
}
