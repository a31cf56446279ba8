//! The stories that come with the page.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

pub(crate) struct Example {
    /// Of its file, without the ending.
    pub(crate) name: &'static str,
    /// The chapter it belongs to.
    pub(crate) course: &'static str,
    pub(crate) title: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) tags: &'static [&'static str],
    /// Commands and codes of errors that occur in it.
    pub(crate) words: &'static str,
}

/// In the order of the menu.
pub(crate) const ALL: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// The text of an example; None where it cannot be had.
pub(crate) async fn text(name: &str) -> Option<String> {
    let window = web_sys::window()?;
    let response = JsFuture::from(window.fetch_with_str(&format!("examples/{name}.md"))).await.ok()?;
    let response: web_sys::Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
