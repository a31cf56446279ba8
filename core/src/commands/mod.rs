//! Every command: its record, its handler, and the pipeline that all commands go through.
//!
//! One family per file; a family's file holds the records first, then the handlers.

mod acl;
mod args;
mod bitmaps;
mod call;
mod client;
mod cluster;
mod command;
mod config;
mod connection;
mod ctx;
mod debug;
mod dispatch;
mod draw;
mod effective;
mod expiry;
mod functions;
mod generic;
mod geo;
mod guards;
mod hashes;
mod help;
mod hyperloglog;
mod info;
mod keys;
mod latency;
mod libraries;
mod lists;
mod lolwut;
mod memory;
mod modules;
mod monitor;
mod notify;
mod persistence;
mod pubsub;
mod replication;
mod routing;
mod script_caller;
pub(crate) mod scripting;
mod server;
mod sets;
mod shared;
mod shebang;
mod slowlog;
mod spec;
mod streams;
mod strings;
mod table;
pub(crate) mod transactions;
mod versions;
mod waiting;
mod zsets;

pub(crate) use acl::set_default_password;
pub use call::{find, lookup};
pub(crate) use client::{flush_broadcasts, forget_tracking};
pub(crate) use ctx::{Outcome, expire, expire_fields};
pub(crate) use dispatch::{dispatch, retry_blocked};
pub use keys::{KeyPosition, key_positions};
pub use memory::used_memory;
pub(crate) use pubsub::unsubscribe_all;
pub use spec::{Begin, CommandSpec, Example, Find, Flags, Group, KeySpec, Shape};
pub use table::all;
pub use versions::{Records, records};

#[cfg(test)]
mod tests;
