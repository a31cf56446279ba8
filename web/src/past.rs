//! Keeps what a story's text has been in the browser's storage, so that a reload takes neither undo nor a branch.

use playground_model::history::History;

use crate::browser::memory;

/// Before the name of the text whose history it is.
const PREFIX: &str = "past:";
/// Of one story's texts. Browsers keep about 5 million characters for a site, and the stories themselves come first.
const BYTES_MAX: usize = 150_000;

/// The history that ends with this text: the kept one, where there is one.
pub(crate) fn of(name: Option<&str>, text: &str) -> History {
    let kept = name.and_then(|name| memory::read(&format!("{PREFIX}{name}")));
    let kept = kept.and_then(|kept| serde_json::from_str::<History>(&kept).ok()).filter(History::is_sound);
    match kept {
        Some(mut history) => {
            // What was still being typed is the newest text.
            history.push(text.to_owned());
            history
        }
        None => History::new(text.to_owned()),
    }
}

pub(crate) fn keep(name: &str, history: &History) {
    let name = format!("{PREFIX}{name}");
    if !history.can_undo() && !history.can_redo() {
        return memory::forget(&name);
    }
    if let Ok(text) = serde_json::to_string(&history.within(BYTES_MAX)) {
        memory::write(&name, &text);
    }
}

/// Keeps a text, before all histories if there is not room for both.
pub(crate) fn write_before_all(name: &str, text: &str) {
    if !memory::write(name, text) {
        memory::names().iter().filter(|name| name.starts_with(PREFIX)).for_each(|name| memory::forget(name));
        memory::write(name, text);
    }
}

/// Forgets the histories of own stories that were thrown away.
pub(crate) fn tidy() {
    let names = memory::names();
    let is_stray = |name: &&String| {
        name.strip_prefix(PREFIX)
            .is_some_and(|of| of.starts_with("own:") && !names.iter().any(|name| name == of))
    };
    names.iter().filter(is_stray).for_each(|name| memory::forget(name));
}
