//! Light, dark, or as the system has it.

use leptos::prelude::*;

use crate::browser::{self, memory};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

/// The theme as it was chosen last; whatever it is set to is shown and remembered.
/// `boot.js` shows it before this module is there.
pub(crate) fn theme() -> RwSignal<Theme> {
    let known = [Theme::Light, Theme::Dark].into_iter();
    let kept = browser::parameter("theme").or_else(|| memory::read("theme"));
    let theme = RwSignal::new(
        known.into_iter().find(|theme| Some(theme.name()) == kept.as_deref()).unwrap_or_default(),
    );
    Effect::new(move |before: Option<Theme>| {
        let chosen = theme.get();
        if let Some(root) = browser::root() {
            let _ = root.set_attribute("data-theme", chosen.name());
        }
        if before.is_some() {
            memory::write("theme", chosen.name());
        }
        chosen
    });
    theme
}
