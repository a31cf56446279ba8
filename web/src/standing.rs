//! Where each step stands to the reader: present, ahead, or neither.
//!
//! A story may have thousands of steps, and each of them is drawn by where the reader stands. Would each follow the reader's
//! position by itself, every move would wake all of them; so a move tells those that it passes, and nobody else.

use std::collections::BTreeMap;

use leptos::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Behind,
    /// It is the step that was taken last.
    Current,
    /// It has not been taken yet.
    Ahead,
}

impl Place {
    fn of(step: usize, position: usize) -> Self {
        match position {
            _ if position <= step => Self::Ahead,
            _ if position == step + 1 => Self::Current,
            _ => Self::Behind,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Standing(ArcRwSignal<Place>);

/// The steps that are drawn somewhere, and in how many places.
#[derive(Default)]
pub(crate) struct Standings(BTreeMap<usize, (Standing, usize)>);

impl Standings {
    /// For one more place where the step is drawn. `position`: the reader's.
    pub(crate) fn join(&mut self, step: usize, position: usize) -> Standing {
        let new = || (Standing(ArcRwSignal::new(Place::of(step, position))), 0);
        let (standing, places) = self.0.entry(step).or_insert_with(new);
        *places += 1;
        standing.clone()
    }

    /// The step is no longer drawn in one of its places.
    pub(crate) fn leave(&mut self, step: usize) {
        if let Some((_, places)) = self.0.get_mut(&step) {
            *places -= 1;
            if *places == 0 {
                self.0.remove(&step);
            }
        }
    }

    /// What a move from one position to another changes: to be told when nothing is borrowed, as somebody may ask for a step.
    pub(crate) fn passed(&self, from: usize, to: usize) -> Vec<(usize, Standing)> {
        let first = from.min(to).saturating_sub(1);
        self.0.range(first..from.max(to)).map(|(step, (standing, _))| (*step, standing.clone())).collect()
    }
}

impl Standing {
    /// The step's classes: those that it always has, and where it stands.
    pub(crate) fn classes(&self, always: String) -> impl Fn() -> String + Clone + Send + Sync + use<> {
        let place = self.0.clone();
        move || match place.get() {
            Place::Behind => always.clone(),
            Place::Current => format!("{always} is-current"),
            Place::Ahead => format!("{always} is-ahead"),
        }
    }

    /// Whether it is the step that was taken last.
    pub(crate) fn current(&self) -> impl Fn() -> bool + Clone + Send + Sync + use<> {
        let place = self.0.clone();
        move || place.get() == Place::Current
    }

    /// For `aria-current`.
    pub(crate) fn aria(&self) -> impl Fn() -> Option<&'static str> + Clone + Send + Sync + use<> {
        let is_current = self.current();
        move || is_current().then_some("step")
    }

    pub(crate) fn tell(&self, step: usize, position: usize) {
        let place = Place::of(step, position);
        if self.0.get_untracked() != place {
            self.0.set(place);
        }
    }
}
