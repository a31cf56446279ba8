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

/// Lua leaves protected calls by longjmp, which becomes a WebAssembly exception.
const EXCEPTION_FLAGS: [&str; 5] =
    ["-mexception-handling", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false"];
/// Of the standard kind, which browsers know since about 2025 and Node.js since 24, or, where this variable is `legacy`, of
/// the kind before it, which all of them run, Node.js since 17.
const EXCEPTIONS: &str = "PLAYGROUND_WASM_EXCEPTIONS";

/// Files of ours, written to OUT_DIR so that the paths hold wherever cargo keeps this crate.
const SETJMP_H: &str = include_str!("wasm/setjmp.h");
const SETJMP_C: &str = include_str!("wasm/setjmp.c");
const TAG_S: &str = include_str!("wasm/tag.s");
const WASI_C: &str = include_str!("wasm/wasi.c");
const LEGACY_SH: &str = include_str!("wasm/legacy.sh");

/// Builds Lua and what it needs; answers Lua's own artifacts and the further lines for cargo.
///
/// # Errors
/// A sentence for the person who builds.
pub(crate) fn build(
    lua: &mut upstream::Build,
    version: Version,
) -> Result<(upstream::Artifacts, Vec<String>), String> {
    println!("cargo:rerun-if-env-changed=WASI_SDK_PATH");
    println!("cargo:rerun-if-env-changed={EXCEPTIONS}");
    let tools = Toolchain::find()?;
    let out_dir =
        PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: this runs in a build script")?);
    let own = out_dir.join("wasm-runtime");
    write_sources(&own).map_err(|error| format!("cannot write to {}: {error}", own.display()))?;

    let is_legacy = env::var(EXCEPTIONS).is_ok_and(|kind| kind == "legacy");
    let clang = if is_legacy { write_legacy_compiler(&tools.clang, &own)? } else { tools.clang.clone() };
    choose_compiler(&tools, &clang, &own);
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
fn choose_compiler(tools: &Toolchain, clang: &Path, own: &Path) {
    let flags = format!("-I{} -isystem {}", shell_quoted(own), shell_quoted(&tools.include_dir));
    // SAFETY: a build script has one thread here, and nothing reads the environment meanwhile.
    unsafe {
        env::set_var("CC_wasm32_wasip1", clang);
        env::set_var("AR_wasm32_wasip1", &tools.archiver);
        env::set_var("CFLAGS_wasm32_wasip1", flags);
        env::set_var("CC_SHELL_ESCAPED_FLAGS", "1");
    }
}

/// Upstream's build asks for the standard kind with a flag that may stand only once, so a script puts the other one in its
/// place. It takes a POSIX shell, as `cargo xtask npm` does not ask for more than Debian.
fn write_legacy_compiler(clang: &Path, own: &Path) -> Result<PathBuf, String> {
    let script = own.join("clang-legacy-exceptions");
    let text = LEGACY_SH.replace("CLANG", &shell_quoted(clang));
    let written = fs::write(&script, text).and_then(|()| make_executable(&script));
    written.map(|()| script.clone()).map_err(|error| format!("cannot write {}: {error}", script.display()))
}

#[cfg(unix)]
fn make_executable(script: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(script, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("exceptions of the older kind are built where there is a POSIX shell"))
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
