//! Lua for `wasm32-unknown-unknown`: compiled as `wasm32-wasip1`, linked with WASI's libc and our own setjmp.
//!
//! The finished module imports nothing for it. One thing is left to the crate that makes the module: it must call
//! `__wasm_call_ctors` once, or the linker makes every export run all constructors and destructors.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Version;
use crate::toolchain::Toolchain;

const TARGET: &str = "wasm32-wasip1";

/// Lua leaves protected calls by longjmp, which becomes a WebAssembly exception of the standard kind.
const EXCEPTION_FLAGS: [&str; 5] =
    ["-mexception-handling", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false"];

/// Files of ours, written to OUT_DIR so that the paths hold wherever cargo keeps this crate.
const SETJMP_H: &str = include_str!("wasm/setjmp.h");
const SETJMP_C: &str = include_str!("wasm/setjmp.c");
const TAG_S: &str = include_str!("wasm/tag.s");
const WASI_C: &str = include_str!("wasm/wasi.c");

/// Builds Lua and what it needs; answers Lua's own artifacts and the further lines for cargo.
///
/// # Errors
/// A sentence for the person who builds.
pub(crate) fn build(
    lua: &mut upstream::Build,
    version: Version,
) -> Result<(upstream::Artifacts, Vec<String>), String> {
    println!("cargo:rerun-if-env-changed=WASI_SDK_PATH");
    let tools = Toolchain::find()?;
    let out_dir =
        PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: this runs in a build script")?);
    let own = out_dir.join("wasm-runtime");
    write_sources(&own).map_err(|error| format!("cannot write to {}: {error}", own.display()))?;

    choose_compiler(&tools, &own);
    compile_runtime(&own)?;
    let artifacts = lua.target(TARGET).try_build(version).map_err(|error| error.to_string())?;

    let link_lines = vec![
        format!("rustc-link-search=native={}", own.display()),
        format!("rustc-link-search=native={}", tools.lib_dir.display()),
        "rustc-link-lib=static:-bundle=c".to_owned(),
    ];
    Ok((artifacts, link_lines))
}

fn write_sources(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, text) in [("setjmp.h", SETJMP_H), ("setjmp.c", SETJMP_C), ("tag.s", TAG_S), ("wasi.c", WASI_C)]
    {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// Upstream's build has no door for a compiler or flags, but the crate `cc` below it reads these variables.
fn choose_compiler(tools: &Toolchain, own: &Path) {
    let flags = format!("-I{} -isystem {}", shell_quoted(own), shell_quoted(&tools.include_dir));
    // SAFETY: a build script has one thread here, and nothing reads the environment meanwhile.
    unsafe {
        env::set_var("CC_wasm32_wasip1", &tools.clang);
        env::set_var("AR_wasm32_wasip1", &tools.archiver);
        env::set_var("CFLAGS_wasm32_wasip1", flags);
        env::set_var("CC_SHELL_ESCAPED_FLAGS", "1");
    }
}

/// A path as one word of a POSIX shell, since a clone may lie in a folder with spaces.
fn shell_quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// setjmp and the system calls, with the compiler chosen before. The library is called `setjmp` since that is the name upstream links.
fn compile_runtime(own: &Path) -> Result<(), String> {
    let mut build = cc::Build::new();
    build.cargo_metadata(false).target(TARGET).warnings(false).out_dir(own);
    for flag in EXCEPTION_FLAGS {
        build.flag(flag);
    }
    build
        .file(own.join("setjmp.c"))
        .file(own.join("tag.s"))
        .file(own.join("wasi.c"))
        .try_compile("setjmp")
        .map_err(|error| format!("the C run time for WebAssembly does not compile: {error}"))
}
