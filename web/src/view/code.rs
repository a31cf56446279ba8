//! CodeMirror as the story's editor: what goes into it and what comes out. It is fetched when it is first mounted.
//!
//! It keeps no history of its own. What it is told: the text when that changes elsewhere, what is wrong, what came
//! differently, the line of the present step, and what can be typed.

use leptos::prelude::*;
use playground_model::lint::Level;
use playground_model::story::Script;
use serde::Serialize;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue, wasm_bindgen};
use web_sys::HtmlElement;

use crate::debug::{self, debugger};
use crate::store::Store;
use crate::strings::T;

#[wasm_bindgen]
extern "C" {
    #[derive(Clone)]
    pub(super) type Editor;

    #[wasm_bindgen(method, js_name = setText)]
    fn set_text(this: &Editor, text: &str);

    #[wasm_bindgen(method)]
    fn show(this: &Editor, marks: &str);

    #[wasm_bindgen(method)]
    fn know(this: &Editor, words: &str);

    #[wasm_bindgen(method, js_name = goTo)]
    pub(super) fn go_to(this: &Editor, line: u32, column: u32);

    #[wasm_bindgen(method)]
    fn destroy(this: &Editor);
}

#[wasm_bindgen(module = "/js/editor_host.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = mount)]
    async fn mount_editor(
        host: &HtmlElement,
        text: &str,
        label: &str,
        words: &str,
        change: &JsValue,
        undo: &JsValue,
        redo: &JsValue,
        accept: &JsValue,
        breakpoint: &JsValue,
    ) -> Result<JsValue, JsValue>;
}

/// What can be typed; commands are the engine's.
#[derive(Serialize)]
struct Words<'a> {
    commands: &'a [playground_model::offer::CommandHelp],
    directives: &'static [&'static str],
    lua: &'static [(&'static str, &'static str)],
}

#[derive(Serialize)]
struct Marks<'a> {
    present: Option<usize>,
    diagnostics: Vec<Wrong<'a>>,
    differences: Vec<&'a playground_model::step::Difference>,
    /// Lines that have a breakpoint, and first and last lines of scripts.
    breakpoints: Vec<usize>,
    scripts: Vec<(usize, usize)>,
    words: Texts,
}

#[derive(Serialize)]
struct Wrong<'a> {
    line: usize,
    column: usize,
    message: &'a str,
    help: &'a str,
    severity: &'static str,
}

#[derive(Serialize)]
struct Texts {
    came: &'static str,
    take: &'static str,
    breakpoint: &'static str,
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers can be written")
}

fn words(store: &Store) -> String {
    store.commands.with(|commands| json(&Words { commands, directives: T.directives, lua: T.lua_help }))
}

/// Fetches the editor into an element; `editor` has it as soon as it is there.
pub(super) fn mount(
    store: Store,
    host: HtmlElement,
    type_text: impl Fn(String) + 'static,
    editor: RwSignal<Option<Editor>, LocalStorage>,
) {
    store.learn_commands();
    let change = Closure::<dyn Fn(String)>::new(type_text).into_js_value();
    let undo = Closure::<dyn Fn()>::new(move || store.undo()).into_js_value();
    let redo = Closure::<dyn Fn()>::new(move || store.redo()).into_js_value();
    let accept = Closure::<dyn Fn(u32)>::new(move |line: u32| store.accept_replies(Some(line as usize)))
        .into_js_value();
    let debugger = debugger();
    let breakpoint =
        Closure::<dyn Fn(u32)>::new(move |line: u32| debugger.toggle_at_text_line(line as usize))
            .into_js_value();
    leptos::task::spawn_local(async move {
        let (text, known) = (store.text.get_untracked(), untrack(|| words(&store)));
        let mounted =
            mount_editor(&host, &text, T.editor, &known, &change, &undo, &redo, &accept, &breakpoint).await;
        // The panel may have been closed meanwhile, and its signal be gone. What does not load is done without.
        if let Ok(mounted) = mounted {
            let mounted: Editor = mounted.unchecked_into();
            if host.is_connected() {
                editor.try_set(Some(mounted));
            } else {
                mounted.destroy();
            }
        }
    });
}

/// Tells the editor what changes elsewhere.
pub(super) fn follow(store: Store, editor: RwSignal<Option<Editor>, LocalStorage>) {
    Effect::new(move |_| {
        let text = store.text.get();
        editor.with(|editor| editor.iter().for_each(|editor| editor.set_text(&text)));
    });
    Effect::new(move |_| {
        let known = words(&store);
        editor.with(|editor| editor.iter().for_each(|editor| editor.know(&known)));
    });
    Effect::new(move |_| {
        let marks = marks(&store);
        editor.with(|editor| editor.iter().for_each(|editor| editor.show(&marks)));
    });
    on_cleanup(move || {
        editor.try_update_untracked(|editor| editor.take().into_iter().for_each(|editor| editor.destroy()));
    });
}

fn marks(store: &Store) -> String {
    let step = store.position.get().checked_sub(1);
    let diagnostics = store.diagnostics.get();
    // As long as there are mistakes the story is an older text, and its lines are others.
    let is_told = diagnostics.is_empty();
    let present = step
        .filter(|_| is_told)
        .and_then(|step| store.story.with(|story| story.lines.get(step).map(|line| line.line)));
    let wrong = diagnostics.iter().map(|diagnostic| Wrong {
        line: diagnostic.line,
        column: diagnostic.column,
        message: &diagnostic.message,
        help: &diagnostic.help,
        severity: "error",
    });
    let linted = store.linted.get();
    let found = linted.findings.iter().filter(|_| is_told).map(|found| Wrong {
        line: found.line,
        column: found.column,
        message: &found.message,
        help: &found.better,
        severity: if found.level == Level::Hint { "info" } else { "warning" },
    });
    let texts = Texts { came: T.came, take: T.take, breakpoint: T.debug.breakpoint };
    let scripts = store.story.with(|story| story.scripts.clone()).into_iter().filter(|_| is_told);
    let scripts: Vec<Script> = scripts.collect();
    let breakpoints = debugger().breakpoints.with(|all| {
        let own = scripts.iter().flat_map(|script| {
            let lines = debug::of(all, &script.name).into_iter().flatten();
            lines.map(|(line, _)| script.line + *line as usize)
        });
        own.collect()
    });
    let scripts = scripts
        .iter()
        .map(|script| (script.line + 1, script.line + script.text.split('\n').count()))
        .collect();
    store.steps.with(|steps| {
        let differences = steps.iter().filter(|_| is_told).flat_map(|step| &step.differences).collect();
        let diagnostics = wrong.chain(found).collect();
        json(&Marks { present, diagnostics, differences, breakpoints, scripts, words: texts })
    })
}
