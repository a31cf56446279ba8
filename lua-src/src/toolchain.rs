//! Finds a clang that can compile for WebAssembly, its archiver, and a WASI C library.
//!
//! The order is: what `WASI_SDK_PATH` names, then what is on PATH or in the usual folders of a distribution.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Below this clang cannot write the standard form of WebAssembly exceptions (`try_table`).
const CLANG_VERSION_MIN: u32 = 20;
/// Newest release asked for by name (`clang-30`); a plain `clang` may be newer still.
const CLANG_VERSION_NAMED_MAX: u32 = 30;

/// How Debian and Ubuntu call what is needed, for the messages.
const PACKAGES: &str = "apt-get install clang-22 llvm-22 wasi-libc";

pub(crate) struct Toolchain {
    pub(crate) clang: PathBuf,
    pub(crate) archiver: PathBuf,
    /// Holds `stdio.h` and the like, and no header of the host.
    pub(crate) include_dir: PathBuf,
    /// Holds `libc.a` and `libwasi-emulated-signal.a`.
    pub(crate) lib_dir: PathBuf,
}

impl Toolchain {
    /// # Errors
    /// One sentence that names what is missing and how to get it.
    pub(crate) fn find() -> Result<Self, String> {
        let sdk = env::var_os("WASI_SDK_PATH").map(PathBuf::from);
        let (clang, archiver) = find_compiler(sdk.as_deref()).ok_or_else(|| {
            format!(
                "Lua for the browser needs clang {CLANG_VERSION_MIN} or newer with its wasm32 target, and llvm-ar: \
                 install them ({PACKAGES}) or let WASI_SDK_PATH name an unpacked wasi-sdk"
            )
        })?;
        let (include_dir, lib_dir) = find_libc(sdk.as_deref()).ok_or_else(|| {
            format!(
                "Lua for the browser needs a C library for WASI: install it ({PACKAGES}) or let WASI_SDK_PATH name \
                 an unpacked wasi-sdk"
            )
        })?;
        Ok(Self { clang, archiver, include_dir, lib_dir })
    }
}

fn find_compiler(sdk: Option<&Path>) -> Option<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    if let Some(sdk) = sdk {
        let bin = sdk.join("bin");
        pairs.push((bin.join("clang"), bin.join("llvm-ar")));
    }
    for version in (CLANG_VERSION_MIN..=CLANG_VERSION_NAMED_MAX).rev() {
        pairs.push((format!("clang-{version}").into(), format!("llvm-ar-{version}").into()));
    }
    pairs.push(("clang".into(), "llvm-ar".into()));
    pairs.into_iter().find(|(clang, archiver)| can_compile(clang) && output(archiver, "--version").is_some())
}

fn can_compile(clang: &Path) -> bool {
    let new_enough = output(clang, "-dumpversion")
        .and_then(|version| version.split('.').next()?.trim().parse::<u32>().ok())
        .is_some_and(|major| major >= CLANG_VERSION_MIN);
    new_enough && output(clang, "--print-targets").is_some_and(|targets| targets.contains("wasm32"))
}

/// What a program prints; None where it cannot be run or fails.
fn output(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn find_libc(sdk: Option<&Path>) -> Option<(PathBuf, PathBuf)> {
    let mut roots = Vec::new();
    roots.extend(sdk.map(|sdk| sdk.join("share/wasi-sysroot")));
    // Debian and Ubuntu keep it in the multiarch folders below /usr, Fedora and Arch in a root of its own.
    roots.extend(["/usr", "/usr/share/wasi-sysroot"].map(PathBuf::from));
    roots
        .iter()
        .flat_map(|root| {
            ["wasm32-wasip1", "wasm32-wasi"]
                .map(|target| (root.join("include").join(target), root.join("lib").join(target)))
        })
        .find(|(include_dir, lib_dir)| {
            include_dir.join("stdio.h").is_file() && lib_dir.join("libc.a").is_file()
        })
}
