//! Programs that come with the operating system: compiler, browser, servers.

use std::path::Path;
use std::process::Command;

use super::Purpose;
use crate::shell::{self, Failure, Step};

/// The search that the build of Lua itself does, so that both always agree on what is good enough.
#[path = "../../../lua-src/src/toolchain.rs"]
#[expect(dead_code, reason = "here it only matters that everything was found")]
mod toolchain;

/// Something that must be there.
struct Need {
    purpose: Purpose,
    name: &'static str,
    is_there: fn() -> bool,
    /// Debian's packages that bring it.
    packages: &'static [&'static str],
    elsewhere: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        purpose: Purpose::Page,
        name: "clang 20 or newer with wasm32, llvm-ar and a C library for WASI",
        is_there: || toolchain::Toolchain::find().is_ok(),
        packages: &["clang-22", "llvm-22", "wasi-libc"],
        elsewhere: "unpack a wasi-sdk (github.com/WebAssembly/wasi-sdk) and let WASI_SDK_PATH name its folder",
    },
    Need {
        purpose: Purpose::Page,
        name: "Node.js 20 or newer, with npm",
        is_there: || runs("node") && runs("npm"),
        packages: &["nodejs", "npm"],
        elsewhere: "nodejs.org, or your system's packages",
    },
    Need {
        purpose: Purpose::Tests,
        name: "Chromium 137 or newer",
        is_there: || runs("chromium"),
        packages: &["chromium", "fonts-dejavu-core"],
        elsewhere: "your system's packages; it must be on PATH as `chromium`",
    },
    Need {
        purpose: Purpose::Tests,
        name: "chromedriver of the same version as Chromium",
        is_there: || runs("chromedriver"),
        packages: &["chromium-driver"],
        elsewhere: "your system's packages; it must be on PATH",
    },
    Need {
        purpose: Purpose::Tests,
        name: "redis-server, to compare the examples with, and redis-cli and redis-benchmark",
        is_there: || runs("redis-server") && runs("redis-cli") && runs("redis-benchmark"),
        packages: &["redis-server", "redis-tools"],
        elsewhere: "redis.io, or your system's packages",
    },
    Need {
        purpose: Purpose::Tests,
        name: "Python 3.10 or newer, with venv and pip",
        is_there: || shell::output(Command::new("python3").args(["-c", "import venv, ensurepip"])).is_some(),
        packages: &["python3", "python3-venv"],
        elsewhere: "python.org, or your system's packages; it must be on PATH as `python3`",
    },
    Need {
        purpose: Purpose::Tests,
        name: "Hugo and AsciiDoctor, to build the sample pages of their plug-ins",
        is_there: || shell::output(Command::new("hugo").arg("version")).is_some() && runs("asciidoctor"),
        packages: &["hugo", "asciidoctor"],
        elsewhere: "gohugo.io and asciidoctor.org, or your system's packages",
    },
    Need {
        purpose: Purpose::Everything,
        name: "lua5.1, to compare speeds with",
        is_there: || shell::output(Command::new("lua5.1").arg("-v")).is_some(),
        packages: &["lua5.1"],
        elsewhere: "lua.org, or your system's packages; it must be on PATH as `lua5.1`",
    },
];

/// # Errors
/// Where something is missing that cannot be installed here; all of it is named.
pub(super) fn ensure(purpose: Purpose) -> Result<(), Failure> {
    let missing = missing(purpose);
    if missing.is_empty() {
        return Ok(());
    }
    if is_debian() && is_root() {
        install(&missing)?;
    }
    let missing = self::missing(purpose);
    if missing.is_empty() { Ok(()) } else { Err(Failure::new(explain(&missing))) }
}

fn missing(purpose: Purpose) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| need.purpose <= purpose && !(need.is_there)()).collect()
}

fn runs(program: &str) -> bool {
    shell::output(Command::new(program).arg("--version")).is_some()
}

fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists()
}

fn is_root() -> bool {
    shell::output(Command::new("id").arg("-u")).as_deref() == Some("0")
}

fn packages(missing: &[&Need]) -> Vec<&'static str> {
    missing.iter().flat_map(|need| need.packages).copied().collect()
}

fn install(missing: &[&Need]) -> Result<(), Failure> {
    let packages = packages(missing);
    let step = Step::begin(format!("apt-get install {}", packages.join(" ")));
    shell::run(apt_get().args(["update", "--quiet"]))?;
    shell::run(apt_get().args(["install", "--quiet", "--yes", "--no-install-recommends"]).args(packages))?;
    step.end("done");
    Ok(())
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // RUNLEVEL keeps Debian from starting a Redis of its own: only its program is wanted.
    command.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    command
}

fn explain(missing: &[&Need]) -> String {
    let mut text = "this is missing on your machine:\n".to_owned();
    for need in missing {
        text += &format!("  - {}: {}\n", need.name, need.elsewhere);
    }
    if is_debian() {
        text += &format!("on Debian, as root: apt-get install {}\n", packages(missing).join(" "));
    }
    text
}
