//! Markdown as elements: never as HTML.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::markdown::{self, Block, Inline};

#[component]
pub(super) fn Prose(text: String) -> impl IntoView {
    view! { <div class="prose">{markdown::parse(&text).into_iter().map(block).collect_views()}</div> }
}

/// A line with marks of Markdown in it.
#[component]
pub(super) fn Remark(text: String, #[prop(default = "remark")] class: &'static str) -> impl IntoView {
    let blocks = markdown::parse(&text);
    let line = |block| match block {
        Block::Paragraph(line) => inlines(line),
        other => block_only(other),
    };
    view! { <p class=class>{blocks.into_iter().map(line).collect_views()}</p> }
}

/// A line with marks of Markdown in it, within another line.
pub(super) fn inlines_of(text: &str) -> AnyView {
    let line = |block| match block {
        Block::Paragraph(line) => inlines(line),
        other => block_only(other),
    };
    markdown::parse(text).into_iter().map(line).collect_views().into_any()
}

fn block_only(block_: Block) -> AnyView {
    block(block_)
}

fn block(block: Block) -> AnyView {
    match block {
        // The page's own headings are above these.
        Block::Heading(1, text) => view! { <h2 class="prose-title">{inlines(text)}</h2> }.into_any(),
        Block::Heading(2, text) => view! { <h3>{inlines(text)}</h3> }.into_any(),
        Block::Heading(_, text) => view! { <h4>{inlines(text)}</h4> }.into_any(),
        Block::Paragraph(text) => view! { <p>{inlines(text)}</p> }.into_any(),
        Block::List { ordered, items } => {
            let items = items.into_iter().map(|item| view! { <li>{inlines(item)}</li> }).collect_views();
            if ordered {
                view! { <ol>{items}</ol> }.into_any()
            } else {
                view! { <ul>{items}</ul> }.into_any()
            }
        }
        Block::Quote(text) => view! { <blockquote>{inlines(text)}</blockquote> }.into_any(),
        Block::Code { language, text } => code(&language, text),
        Block::Table(rows) => table(rows),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

/// Code that may be wider than its place can be scrolled, by the keyboard too.
fn code(language: &str, text: String) -> AnyView {
    let name = if language.is_empty() { "code".to_owned() } else { format!("{language} code") };
    view! { <pre class="code" tabindex="0" role="group" aria-label=name><code>{text}</code></pre> }.into_any()
}

fn table(rows: Vec<Vec<Vec<Inline>>>) -> AnyView {
    let mut rows = rows.into_iter();
    let head = rows.next().unwrap_or_default();
    let head = head.into_iter().map(|cell| view! { <th scope="col">{inlines(cell)}</th> }).collect_views();
    let row = |cells: Vec<Vec<Inline>>| {
        let cells = cells.into_iter().map(|cell| view! { <td>{inlines(cell)}</td> }).collect_views();
        view! { <tr>{cells}</tr> }
    };
    view! {
        <table>
            <thead>
                <tr>{head}</tr>
            </thead>
            <tbody>{rows.map(row).collect_views()}</tbody>
        </table>
    }
    .into_any()
}

fn inlines(inlines: Vec<Inline>) -> AnyView {
    inlines.into_iter().map(inline).collect_views().into_any()
}

fn inline(inline: Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.into_any(),
        Inline::Code(text) => view! { <code>{text}</code> }.into_any(),
        Inline::Strong(text) => view! { <strong>{inlines(text)}</strong> }.into_any(),
        Inline::Emphasis(text) => view! { <em>{inlines(text)}</em> }.into_any(),
        Inline::Link { text, target } => {
            // A link to another story stays within the page.
            let story = target.strip_suffix(".md").filter(|name| !name.contains(['/', ':']));
            let outside = story.is_none().then_some("noreferrer");
            let target = story.map_or(target.clone(), |name| format!("#{name}"));
            view! { <a href=target rel=outside>{inlines(text)}</a> }.into_any()
        }
    }
}
