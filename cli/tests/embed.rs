//! Fences become elements: in a page of its own, and in a book.

use std::io::Write as _;
use std::process::{Command, Stdio};

#[track_caller]
fn playground(args: &[&str], input: &str, code: i32) -> String {
    let mut process = Command::new(env!("CARGO_BIN_EXE_playground"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    process.stdin.take().expect("it reads").write_all(input.as_bytes()).expect("it takes the page");
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(code), "{args:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const PAGE: &str = "# Page\n\n```lua get\nreturn 1 < 2\n```\n\n```redis\nA> SET k 1\nOK\n\n# next\nA> GET k\n\"1\"\n```\n\ntext\n\n- item\n\n  ```redis\n  A> EVAL $get 0\n  (integer) 1\n  ```\n";

#[test]
fn a_fence_is_an_element_that_shows_itself_and_brings_what_went_before() {
    let page = playground(&["embed", "--src", "https://example.org/embed.js"], PAGE, 0);
    let first = "<redis-playground step=\"0\">\n<pre hidden>```lua get\nreturn 1 &lt; 2\n```\n```redis\nA&gt; SET k 1\nOK\n&#10;# next\nA&gt; GET k\n&quot;1&quot;\n```\n</pre>\n<pre><code class=\"language-redis\">A&gt; SET k 1\nOK\n&#10;# next\nA&gt; GET k\n&quot;1&quot;</code></pre>\n</redis-playground>\n";
    assert!(page.contains(first), "{page}");
    let second = "  <pre><code class=\"language-redis\">A&gt; EVAL $get 0\n  (integer) 1</code></pre>\n  </redis-playground>\n";
    assert!(page.contains("  <redis-playground step=\"2\">\n") && page.contains(second), "{page}");
    assert!(
        page.ends_with("<script type=\"module\" src=\"https://example.org/embed.js\"></script>\n"),
        "{page}"
    );
    assert!(page.starts_with("# Page\n\n```lua get\n"), "{page}");
    let element =
        page.split("<redis-playground").nth(1).and_then(|rest| rest.split("</redis-playground>").next());
    assert!(!element.expect("there is one").contains("\n\n"), "a blank line would end the HTML: {page}");
}

#[test]
fn a_page_without_fences_stays_as_it_is() {
    let page = "# Page\n\n```sh\nls\n```\n";
    assert_eq!(playground(&["embed", "--src", "x"], page, 0), page);
}

#[test]
fn a_book_goes_through_and_its_chapters_change() {
    playground(&["mdbook", "supports", "html"], "", 0);
    playground(&["mdbook", "supports", "latex"], "", 1);
    let book = |chapter: &str| {
        serde_json::json!({ "sections": [
            { "Chapter": { "name": "One", "content": "no fence", "sub_items": [
                { "Chapter": { "name": "Two", "content": chapter, "sub_items": [] } }
            ] } },
            "Separator"
        ] })
    };
    let context =
        |src: serde_json::Value| serde_json::json!({ "config": { "preprocessor": { "playground": src } } });
    let input = serde_json::json!([
        context(serde_json::json!({ "src": "embed.js" })),
        book("```redis\nA> PING\n```\n")
    ]);
    let output: serde_json::Value =
        serde_json::from_str(&playground(&["mdbook"], &input.to_string(), 0)).expect("a book as JSON");
    let expected = "<redis-playground step=\"0\">\n<pre><code class=\"language-redis\">A&gt; PING</code></pre>\n</redis-playground>\n\n<script type=\"module\" src=\"embed.js\"></script>\n";
    assert_eq!(output, book(expected));
    let lacking = serde_json::json!([context(serde_json::json!({})), book("")]);
    playground(&["mdbook"], &lacking.to_string(), 2);
}
