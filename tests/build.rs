//! Writes a call of the macro `example!` for each example, with its text: a test in a browser cannot read files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // Asked for when this runs: what it was when this was built is another folder where the build was copied.
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&package).join("../examples");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(!files.is_empty(), "there are examples in {}", folder.display());

    let mut code = String::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let test =
            format!("example_{}", name.replace(|character: char| !character.is_ascii_alphanumeric(), "_"));
        writeln!(code, "example!({test}, {name:?}, include_str!({file:?}));")
            .expect("a string can be written to");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("examples.rs");
    fs::write(out, code).expect("cargo's folder for output can be written to");
}
