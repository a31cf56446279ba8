//! Where each step stands to the reader: present, ahead, or neither.
//!
//! A story may have thousands of steps, and each of them is drawn by where the reader stands. Would each follow the reader's
//! position by itself, every move would wake all of them; so a move tells those that it passes, and nobody else.

use std::collections::BTreeMap;

use leptos::prelude::*;

#[derive(Clone)]
pub(crate) struct Standing {
    is_current: ArcRwSignal<bool>,
    is_ahead: ArcRwSignal<bool>,
}

/// The steps that anybody has asked for. They outlive their story: what is drawn of it may be drawn on for the next one.
#[derive(Default)]
pub(crate) struct Standings(BTreeMap<usize, Standing>);

impl Standings {
    /// `position`: the reader's.
    pub(crate) fn of(&mut self, step: usize, position: usize) -> Standing {
        let new = || Standing {
            is_current: ArcRwSignal::new(step + 1 == position),
            is_ahead: ArcRwSignal::new(position <= step),
        };
        self.0.entry(step).or_insert_with(new).clone()
    }

    /// What a move from one position to another changes: to be told when nothing is borrowed, as somebody may ask for a step.
    pub(crate) fn passed(&self, from: usize, to: usize) -> Vec<(usize, Standing)> {
        let first = from.min(to).saturating_sub(1);
        self.0.range(first..from.max(to)).map(|(step, standing)| (*step, standing.clone())).collect()
    }
}

impl Standing {
    /// Whether it is the step that was taken last.
    pub(crate) fn current(&self) -> impl Fn() -> bool + Clone + Send + Sync + use<> {
        let signal = self.is_current.clone();
        move || signal.get()
    }

    /// Whether it has not been taken yet.
    pub(crate) fn ahead(&self) -> impl Fn() -> bool + Clone + Send + Sync + use<> {
        let signal = self.is_ahead.clone();
        move || signal.get()
    }

    /// For `aria-current`.
    pub(crate) fn aria(&self) -> impl Fn() -> Option<&'static str> + Clone + Send + Sync + use<> {
        let is_current = self.current();
        move || is_current().then_some("step")
    }

    pub(crate) fn tell(&self, step: usize, position: usize) {
        set(&self.is_current, step + 1 == position);
        set(&self.is_ahead, position <= step);
    }
}

fn set(signal: &ArcRwSignal<bool>, value: bool) {
    if signal.get_untracked() != value {
        signal.set(value);
    }
}
