//! Which versions of the tools are wanted. Nothing is pinned here: Cargo.toml and Cargo.lock say it, npm's
//! packages are in package-lock.json.

use std::fs;

use crate::shell::{Failure, root};

/// The version of wasm-bindgen that the workspace is locked to: its command-line tool must be the very same.
pub(crate) fn wasm_bindgen() -> Result<String, Failure> {
    let lock = read("Cargo.lock")?;
    let package = lock.split("[[package]]").find(|package| value(package, "name") == Some("wasm-bindgen"));
    package
        .and_then(|package| value(package, "version"))
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("Cargo.lock names no wasm-bindgen"))
}

/// A version out of `[workspace.metadata.tools]`.
pub(crate) fn tool(name: &str) -> Result<String, Failure> {
    let manifest = read("Cargo.toml")?;
    let table = manifest.split("\n[").find(|table| table.starts_with("workspace.metadata.tools]"));
    table.and_then(|table| value(table, name)).map(str::to_owned).ok_or_else(|| {
        Failure::new(format!("Cargo.toml names no version of {name} in [workspace.metadata.tools]"))
    })
}

fn read(file: &str) -> Result<String, Failure> {
    fs::read_to_string(root().join(file))
        .map_err(|error| Failure::new(format!("cannot read {file}: {error}")))
}

/// The text of `key = "text"`, all that is needed of TOML.
fn value<'a>(table: &'a str, key: &str) -> Option<&'a str> {
    table.lines().find_map(|line| {
        let (name, text) = line.split_once(" = ")?;
        (name == key).then(|| text.trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_one_pinned_version() {
        for version in [wasm_bindgen(), tool("trunk"), tool("mdbook")] {
            let version = version.unwrap();
            assert_eq!(version.split('.').count(), 3, "{version}");
        }
    }
}
