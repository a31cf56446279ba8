//! The engine against replies recorded from real servers.

mod differences;
mod facts;
