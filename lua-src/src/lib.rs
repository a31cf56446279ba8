//! Lets mlua's vendored Lua 5.1 build for `wasm32-unknown-unknown`; everywhere else it only passes the call on.
//!
//! mlua-sys asks for `lua-src` 551.0.x, whose build refuses that target; 551.1 knows it but lies outside of the
//! range. The workspace therefore patches `lua-src` with this crate, which builds the same Lua 5.1.5 sources out
//! of 550.1.1 for the nearest target that has a C library, `wasm32-wasip1`, and adds what that library lacks.
//! Delete this crate and the `[patch.crates-io]` entry on the day mlua-sys accepts `lua-src` 551.1.
//!
//! It runs inside of mlua-sys's build script, which calls `Build::new().build(Lua51).print_cargo_metadata()` and
//! nothing else; so nothing else is offered. It needs no exported variables: clang and the C library are looked
//! for, and a missing one is named together with the package that brings it.

mod toolchain;
mod wasm;

pub use upstream::Version::{self, *};

/// Where the finished libraries are and what must be linked.
pub struct Artifacts {
    lua: upstream::Artifacts,
    /// Search folders and libraries beyond Lua's own; empty unless the target is WebAssembly.
    link_lines: Vec<String>,
}

impl Artifacts {
    /// Tells cargo what to link, from within a build script.
    pub fn print_cargo_metadata(&self) {
        self.lua.print_cargo_metadata();
        for line in &self.link_lines {
            println!("cargo:{line}");
        }
    }
}

#[derive(Default)]
pub struct Build {
    lua: upstream::Build,
}

impl Build {
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds Lua for cargo's TARGET.
    ///
    /// # Panics
    /// Where a compiler or a library is missing, with a sentence that says how to get it: a build script has no
    /// better way to stop.
    pub fn build(&mut self, version: Version) -> Artifacts {
        if std::env::var("TARGET").as_deref() == Ok("wasm32-unknown-unknown") {
            match wasm::build(&mut self.lua, version) {
                Ok((lua, link_lines)) => Artifacts { lua, link_lines },
                Err(reason) => panic!("{reason}"),
            }
        } else {
            Artifacts { lua: self.lua.build(version), link_lines: Vec::new() }
        }
    }
}
