//! Lists the texts of the examples.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&package).join("../examples");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| format!("include_str!({file:?})")).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("examples.rs");
    fs::write(out, format!("&[{}]", texts.join(",\n"))).expect("cargo's folder for output can be written to");
}
