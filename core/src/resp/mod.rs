//! RESP2 and RESP3: replies as values, their bytes, and their text as redis-cli prints it.

mod reply;

pub use reply::{Protocol, Reply, Text};
