//! Real time. The engine knows none: it is told.
#![allow(clippy::disallowed_types, reason = "this is where the real clock comes in")]

use std::time::{Instant, SystemTime};

use playground_core::clock::Micros;

/// Microseconds since the Unix epoch that never run backwards, whatever happens to the system's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    epoch_at_start: Micros,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { started: Instant::now(), epoch_at_start: Micros(since_epoch.as_micros() as u64) }
    }

    pub(crate) fn now(&self) -> Micros {
        self.epoch_at_start + Micros(self.started.elapsed().as_micros() as u64)
    }
}
