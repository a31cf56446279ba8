//! What the latency monitor has noted, by event.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// How many samples of an event are kept.
const SAMPLES_MAX: usize = 160;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencySample {
    /// Unix time in seconds.
    pub at: u64,
    pub millis: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencySeries {
    /// Oldest first; at most one for each second.
    pub samples: VecDeque<LatencySample>,
    /// The longest of all times, forgotten samples included.
    pub max: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyLog(Arc<BTreeMap<&'static str, LatencySeries>>);

impl LatencyLog {
    /// Of two in one second the longer one stays.
    pub fn add(&mut self, event: &'static str, at: u64, millis: u64) {
        let series = Arc::make_mut(&mut self.0).entry(event).or_default();
        series.max = series.max.max(millis);
        match series.samples.back_mut().filter(|last| last.at == at) {
            Some(last) => last.millis = last.millis.max(millis),
            None => series.samples.push_back(LatencySample { at, millis }),
        }
        if series.samples.len() > SAMPLES_MAX {
            series.samples.pop_front();
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &LatencySeries)> {
        self.0.iter().map(|(event, series)| (*event, series))
    }

    pub fn get(&self, event: &[u8]) -> Option<&LatencySeries> {
        self.iter().find(|(name, _)| name.as_bytes() == event).map(|(_, series)| series)
    }

    /// Forgets an event; false where there is none.
    pub fn forget(&mut self, event: &[u8]) -> bool {
        let Some(name) = self.iter().map(|(name, _)| name).find(|name| name.as_bytes() == event) else {
            return false;
        };
        Arc::make_mut(&mut self.0).remove(name).is_some()
    }

    /// Forgets all, and tells how many events there were.
    pub fn clear(&mut self) -> usize {
        std::mem::take(&mut self.0).len()
    }
}
