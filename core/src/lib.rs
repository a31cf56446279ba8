#![doc = include_str!("../README.md")]
//!
//! # Invariants
//! - No I/O, no clock, no randomness, no threads of its own: everything comes in as a [`server::Input`].
//! - The same inputs give the same [`server::Event`]s and the same state, natively and in WebAssembly.
//! - Only `script` talks to Lua.

pub mod bytes;
pub mod clock;
pub mod commands;
pub mod error;
pub mod event;
pub mod explain;
pub mod export;
#[cfg(test)]
mod fault;
pub mod keyspace;
pub mod limits;
pub mod lua;
pub mod profile;
pub mod resp;
pub mod script;
pub mod server;
pub mod state;
pub mod timeline;
pub mod value;

pub use bytes::Bytes;
