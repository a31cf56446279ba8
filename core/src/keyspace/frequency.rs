//! How often a key is used, on the logarithmic scale of LFU eviction: the more often it was, the less likely it is that one more access
//! counts; with every idle minute (or so many as are configured) it falls by one.

use crate::clock::Micros;

use super::LFU_INITIAL;

/// `lfu-log-factor` and `lfu-decay-time`.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub log_factor: i64,
    /// 0: it never falls.
    pub decay_minutes: u64,
}

impl Scale {
    /// The frequency after the time since the last access.
    pub fn decayed(self, frequency: u8, accessed_at: Micros, now: Micros) -> u8 {
        const MINUTE: u64 = 60_000_000;
        let minutes = (now.0 / MINUTE).saturating_sub(accessed_at.0 / MINUTE);
        let periods = minutes.checked_div(self.decay_minutes).unwrap_or(0);
        frequency.saturating_sub(u8::try_from(periods).unwrap_or(u8::MAX))
    }

    /// The frequency after one more access; `draw` decides whether it counts.
    pub fn raised(self, frequency: u8, draw: u64) -> u8 {
        let above_start = f64::from(frequency.saturating_sub(LFU_INITIAL));
        let chance = 1.0 / (above_start * self.log_factor as f64 + 1.0);
        let draw = draw as f64 / u64::MAX as f64;
        frequency.saturating_add(u8::from(draw < chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { log_factor: 10, decay_minutes: 1 };

    #[test]
    fn a_key_that_is_used_rises_ever_more_slowly() {
        let mut rng = crate::state::Rng::default();
        let mut after = |accesses: usize| {
            (0..accesses).fold(LFU_INITIAL, |frequency, _| SCALE.raised(frequency, rng.word()))
        };
        let (hundred, thousand) = (after(100), after(1_000));
        assert!((8..=14).contains(&hundred) && (15..=24).contains(&thousand), "{hundred} {thousand}");
    }

    #[test]
    fn an_idle_key_falls_by_one_a_minute() {
        let minutes = |minutes: u64| Micros::from_millis(minutes * 60_000);
        assert_eq!(SCALE.decayed(5, minutes(10), minutes(13)), 2);
        assert_eq!(SCALE.decayed(5, minutes(10), minutes(1000)), 0);
        assert_eq!(Scale { decay_minutes: 0, ..SCALE }.decayed(5, minutes(10), minutes(1000)), 5);
    }
}
