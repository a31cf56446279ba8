//! The engine against replies recorded from real servers.

mod facts;
