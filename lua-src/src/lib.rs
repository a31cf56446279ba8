//! Passes mlua's request for Lua 5.1 on to the real `lua-src` crate.
pub use upstream::Version::*;
pub use upstream::{Artifacts, Build, Version};
