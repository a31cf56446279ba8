//! The keyboard, as long as nobody types.

use leptos::ev;
use leptos::prelude::*;
use playground_model::debug::Move;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::debug::Debugger;
use crate::store::Store;
use crate::view::Dialogs;

/// Listens for as long as the page lives.
pub(crate) fn listen(store: Store, debugger: Debugger, dialogs: Dialogs) {
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.meta_key() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.as_ref().is_some_and(takes_keys) {
            return;
        }
        let with_control = event.ctrl_key() || event.alt_key();
        let is_done = if with_control || event.shift_key() && event.key().starts_with("Arrow") {
            trace(debugger, &event, with_control)
        } else {
            act(store, debugger, dialogs, &event, target.as_ref())
        };
        if is_done {
            event.prevent_default();
        }
    });
    // Never removed: it lives as long as the page.
    std::mem::forget(handle);
}

/// Whether keys mean something to the element itself.
fn takes_keys(element: &Element) -> bool {
    let tag = element.tag_name();
    let types = matches!(tag.as_str(), "TEXTAREA" | "SELECT" | "DIALOG")
        || tag == "INPUT" && element.get_attribute("type").as_deref() != Some("range");
    // What is typed into the editor's shadow root seems to come from the element around it.
    types || element.closest("dialog, .code-editor").ok().flatten().is_some()
}

/// Within the present step's script: by line with Shift, by call of the server with Ctrl or Alt.
fn trace(debugger: Debugger, event: &KeyboardEvent, by_call: bool) -> bool {
    let to = match (event.key().as_str(), by_call) {
        ("ArrowRight", false) => Move::In,
        ("ArrowLeft", false) => Move::Back,
        ("ArrowRight", true) => Move::NextCall,
        ("ArrowLeft", true) => Move::PreviousCall,
        _ => return false,
    };
    debugger.press(to)
}

fn act(
    store: Store,
    debugger: Debugger,
    dialogs: Dialogs,
    event: &KeyboardEvent,
    target: Option<&Element>,
) -> bool {
    match event.key().as_str() {
        "ArrowRight" => {
            store.playing.set(false);
            store.forward();
        }
        "ArrowLeft" => store.back(),
        "Home" => store.first(),
        "End" => store.last(),
        // On a button or a link it is pressed by it.
        " " if target.is_none_or(|target| target.closest("button, a, summary").ok().flatten().is_none()) => {
            store.toggle_playing();
        }
        "e" | "E" => store.editing.update(|editing| *editing = !*editing),
        "b" | "B" => return debugger.toggle_here(),
        "l" | "L" => dialogs.stories.set(true),
        "+" | "=" => store.zoom_by(1),
        "-" => store.zoom_by(-1),
        "0" => store.zoom_by(0),
        "?" => dialogs.help.set(true),
        _ => return false,
    }
    true
}
