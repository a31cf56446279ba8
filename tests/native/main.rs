//! The playground from outside, natively; in a browser there is nothing in it.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::print_stdout, reason = "what is printed is compared with what is printed in a browser")]

mod compat;
mod digests;
mod examples;
mod explored;
mod notes;
mod reference;
