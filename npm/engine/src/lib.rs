//! The WebAssembly module inside the npm package: servers that take the bytes of RESP and give such bytes back, and
//! stories as text in, JSON out.
//!
//! Knows nothing of JavaScript's types beyond bytes and texts: what a reply is to a user is decided in `npm/src`.
//! Nothing here throws but [`machine::Machine::new`], for options that can't be had.

mod machine;
mod options;
#[cfg(target_family = "wasm")]
mod start;
mod stories;
