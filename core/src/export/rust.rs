//! A Rust test that runs the story on the engine: no server, no waiting, the same result every time.

use super::played::Played;

pub(super) fn write(text: &str, played: &Played<'_>) -> String {
    // As many marks around the text as no line of it closes.
    let mut marks = "#".to_owned();
    while text.contains(&format!("\"{marks}")) {
        marks.push('#');
    }
    let title = played.scenario.meta.title.replace(['\r', '\n'], " ");
    let name = test_name(&title);
    format!(
        "//! {title}\n\
         //!\n\
         //! In Cargo.toml, under [dev-dependencies]: playground-core = {{ path = \"…/core\" }}\n\n\
         use playground_core::profile::Version;\n\
         use playground_core::timeline::{{Timeline, parse}};\n\n\
         const STORY: &str = r{marks}\"{text}\"{marks};\n\n\
         #[test]\n\
         fn {name}() {{\n    \
             let (scenario, mistakes) = parse(STORY);\n    \
             assert!(mistakes.is_empty(), \"{{mistakes:?}}\");\n    \
             let timeline = Timeline::run(scenario, Version::{version:?}).expect(\"the story's parameters exist\");\n    \
             let comparison = timeline.compare();\n    \
             assert!(comparison.differences.is_empty(), \"{{:#?}}\", comparison.differences);\n\
         }}\n",
        version = played.version,
    )
}

/// A title as the name of a function.
fn test_name(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("story_{name}").trim_end_matches('_').to_owned()
    } else {
        name.to_owned()
    }
}
