//! The few things the page asks of the browser. None of them can fail: what is refused is done without.

use std::cell::RefCell;

use leptos::prelude::request_animation_frame;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use web_sys::{Element, ScrollLogicalPosition, Storage};

/// What is remembered from visit to visit. A browser may refuse to remember, or have no room left.
pub(crate) mod memory {
    use super::Storage;

    /// Other pages of the same host have names of their own.
    const PREFIX: &str = "redis-scripting-playground:";

    fn storage() -> Option<Storage> {
        web_sys::window()?.local_storage().ok()?
    }

    pub(crate) fn read(name: &str) -> Option<String> {
        storage()?.get_item(&format!("{PREFIX}{name}")).ok()?
    }

    /// Everything that is remembered.
    pub(crate) fn names() -> Vec<String> {
        let Some(storage) = storage() else { return Vec::new() };
        let keys = (0..storage.length().unwrap_or(0)).filter_map(|index| storage.key(index).ok()?);
        keys.filter_map(|key| key.strip_prefix(PREFIX).map(str::to_owned)).collect()
    }

    /// Whether there was room for it; without, the work still is in the page.
    pub(crate) fn write(name: &str, text: &str) -> bool {
        storage().is_some_and(|storage| storage.set_item(&format!("{PREFIX}{name}"), text).is_ok())
    }

    pub(crate) fn forget(name: &str) {
        if let Some(storage) = storage() {
            let _ = storage.remove_item(&format!("{PREFIX}{name}"));
        }
    }
}

pub(crate) fn fragment() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The page's address without its query and its fragment.
pub(crate) fn address() -> String {
    let address = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    address.split(['#', '?']).next().unwrap_or_default().to_owned()
}

/// A parameter of the page's address, as it stands there: none that the page knows needs escapes.
pub(crate) fn parameter(name: &str) -> Option<String> {
    let query = web_sys::window()?.location().search().ok()?;
    let parts =
        query.trim_start_matches('?').split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
    parts.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
}

/// Changes the address without a new entry in the browser's history, and without an event.
pub(crate) fn replace_fragment(fragment: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(fragment));
    }
}

pub(crate) fn root() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

/// Takes away what was seen until the page had something to show (`js/boot.js`).
pub(crate) fn end_boot() {
    let page = web_sys::window().and_then(|window| window.document());
    page.and_then(|page| page.get_element_by_id("boot")).iter().for_each(Element::remove);
}

pub(crate) fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// In small letters of any script: the browser has the tables for it.
pub(crate) fn lowercase(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

/// Moves the focus to the element of an id.
pub(crate) fn focus(id: &str) {
    let element =
        web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Whether a media query holds now.
pub(crate) fn matches(query: &str) -> bool {
    let list = web_sys::window().and_then(|window| window.match_media(query).ok().flatten());
    list.is_some_and(|list| list.matches())
}

/// Calls back whenever a media query begins or ceases to hold, for as long as the page lives.
pub(crate) fn on_match_change(query: &str, mut call: impl FnMut(bool) + 'static) {
    let list = web_sys::window().and_then(|window| window.match_media(query).ok().flatten());
    let Some(list) = list else { return };
    let inner = list.clone();
    let closure = Closure::<dyn FnMut()>::new(move || call(inner.matches()));
    let _ = list.add_event_listener_with_callback("change", closure.as_ref().unchecked_ref());
    closure.forget();
}

#[wasm_bindgen(module = "/js/scroll.js")]
extern "C" {
    #[wasm_bindgen(js_name = whenSeen)]
    fn watch_for(element: &Element, call: &Closure<dyn FnMut()>);

    type BoxObserver;

    #[wasm_bindgen(js_name = watchBoxes)]
    fn watch_boxes(before: &Element, after: &Element, call: &Closure<BoxSeen>) -> BoxObserver;

    #[wasm_bindgen(method)]
    fn disconnect(this: &BoxObserver);

    #[wasm_bindgen(method)]
    fn observe(this: &BoxObserver, element: &Element);

    /// The heights of an element's children. The browser lays the page out for it, if it has not yet.
    #[wasm_bindgen(js_name = heightsOf)]
    pub(crate) fn heights_of(element: &Element) -> Vec<f64>;

    /// Scrolls sideways; gliding, if the stylesheet says so and it is wished for.
    #[wasm_bindgen(js_name = scrollTo)]
    pub(crate) fn scroll_to(element: &Element, left: f64, glides: bool);
}

/// Watches the two boxes that stand for what of a long list is not in the document, for as long as it lives.
pub(crate) struct BoxWatch {
    observer: BoxObserver,
    boxes: [Element; 2],
    _call: Closure<BoxSeen>,
}

/// Whether it is the second box, what is seen of it (from, to), and how much can be seen at once. Answers whether the list is
/// another one now.
type BoxSeen = dyn FnMut(bool, f64, f64, f64) -> bool;

impl BoxWatch {
    pub(crate) fn new(
        before: &Element,
        after: &Element,
        call: impl FnMut(bool, f64, f64, f64) -> bool + 'static,
    ) -> Self {
        let call = Closure::<BoxSeen>::new(call);
        let boxes = [before.clone(), after.clone()];
        Self { observer: watch_boxes(before, after, &call), boxes, _call: call }
    }

    /// Looks anew: what has been seen and not told yet was seen of another list.
    pub(crate) fn look_again(&self) {
        self.observer.disconnect();
        self.boxes.iter().for_each(|element| self.observer.observe(element));
    }
}

impl Drop for BoxWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Calls back each time an element comes into view. The callback stays for as long as the page lives.
pub(crate) fn when_seen(element: &Element, call: impl FnMut() + 'static) {
    let call = Closure::new(call);
    watch_for(element, &call);
    call.forget();
}

#[wasm_bindgen(module = "/js/files.js")]
extern "C" {
    /// Saves a text as a file of the reader's.
    pub(crate) fn download(name: &str, text: &str);

    async fn pick(bytes_max: u32) -> JsValue;

    async fn copy(text: &str) -> JsValue;
}

/// A text file that the reader chooses; None where there is none, or it is too large.
pub(crate) async fn pick_text() -> Option<String> {
    pick(playground_model::share::TEXT_BYTES_MAX as u32).await.as_string()
}

/// Whether the text is on the clipboard now.
pub(crate) async fn copy_text(text: &str) -> bool {
    copy(text).await.is_truthy()
}

/// When what a move brings about elsewhere is drawn.
#[derive(Clone, Copy)]
pub(crate) enum When {
    /// With the next frame.
    Next,
    /// With the one after it: a move over a large part of the story shows the step at once, and what has to be scrolled to and drawn
    /// anew for it right after.
    AfterNext,
}

impl When {
    /// Of a move from one position to another.
    pub(crate) fn of_move(from: Option<usize>, to: usize) -> Self {
        if from.is_some_and(|from| from.abs_diff(to) > 1) { Self::AfterNext } else { Self::Next }
    }
}

type Work = Box<dyn FnOnce()>;

thread_local! {
    /// What changes the document with the next frame, and what scrolls after that.
    static DUE: RefCell<(Vec<Work>, Vec<Work>)> = RefCell::default();
}

/// Changes the document and then scrolls in it. To scroll lays out the page, so everybody's changes for a frame come before anybody
/// scrolls: the page is laid out once and not once for each of them.
pub(crate) fn with_frame(when: When, change: impl FnOnce() + 'static, scroll: impl FnOnce() + 'static) {
    let plan = move || {
        let is_first = DUE.with_borrow_mut(|(changes, scrolls)| {
            changes.push(Box::new(change));
            scrolls.push(Box::new(scroll));
            changes.len() == 1
        });
        if is_first {
            request_animation_frame(carry_out);
        }
    };
    match when {
        When::Next => plan(),
        When::AfterNext => request_animation_frame(plan),
    }
}

fn carry_out() {
    let (changes, scrolls) = DUE.take();
    changes.into_iter().for_each(|change| change());
    leptos::task::spawn_local(async move {
        // The effects of the changes are on the document then.
        leptos::task::tick().await;
        scrolls.into_iter().for_each(|scroll| scroll());
    });
}

/// Scrolls the first element that a selector finds into view.
pub(crate) fn reveal_first(selector: &str) {
    first(selector).iter().for_each(reveal);
}

/// Scrolls the first element that a selector finds into the middle of the view.
pub(crate) fn reveal_middle(selector: &str) {
    first(selector).iter().for_each(|element| reveal_at(element, ScrollLogicalPosition::Center));
}

fn first(selector: &str) -> Option<Element> {
    web_sys::window()?.document()?.query_selector(selector).ok()?
}

/// Scrolls an element into view where it is not in view already, moving nothing else than needed.
pub(crate) fn reveal(element: &Element) {
    reveal_at(element, ScrollLogicalPosition::Nearest);
}

fn reveal_at(element: &Element, block: ScrollLogicalPosition) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(block);
    options.set_inline(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}
