//! The core as somebody else's project has it: a dependency by path in an empty crate.

use std::fs;
use std::path::Path;

use crate::shell::{self, Failure, root};
use crate::tally::Tally;

const FOLDER: &str = "target/outside";
const MANIFEST: &str = r#"[package]
name = "outside"
version = "0.0.0"
edition = "2024"

[dependencies]
playground-core = { path = "../../core" }

[workspace]
"#;

pub(crate) fn add_to(tally: &mut Tally) {
    tally.fact("an empty crate with a path to the core runs its README's example", || {
        let readme = root().join("core/README.md");
        let text = fs::read_to_string(&readme)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", readme.display())))?;
        let folder = root().join(FOLDER);
        write(&folder, &program(&text)?)
            .map_err(|error| Failure::new(format!("cannot write to {}: {error}", folder.display())))?;
        shell::run(shell::cargo().args(["run", "--quiet"]).current_dir(folder))
    });
}

/// The first example, as a program of its own.
fn program(readme: &str) -> Result<String, Failure> {
    let example = readme.split_once("```rust\n").and_then(|(_, rest)| rest.split_once("```"));
    let (example, _) = example.ok_or_else(|| Failure::new("core/README.md has no example"))?;
    Ok(format!("fn main() {{\n{example}}}\n"))
}

fn write(folder: &Path, program: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    // The versions that are tested here.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("src/main.rs"), program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_example_becomes_a_program() {
        let program = program("# Title\n```rust\nlet a = 1;\n```\n```rust\nlet b;\n```\n").unwrap();
        assert_eq!(program, "fn main() {\nlet a = 1;\n}\n");
    }
}
