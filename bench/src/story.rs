//! The time machine at work: a long story that is jumped through, and the recording of a long script.
//!
//! Everything goes through the messages that the page sends, JSON and all.

use playground_engine::Desk;
use wasm_bindgen::prelude::wasm_bindgen;

/// Lines that the recorded script executes: two in each round of its loop.
const SCRIPT_LINES: u32 = 100_000;

/// An engine as the page's worker has it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Telling {
    desk: Desk,
    point: u32,
}

#[wasm_bindgen]
impl Telling {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a story of so many steps by four clients, each of which makes a key. `edited`: the step that says something else.
    ///
    /// # Panics
    /// Where the story cannot be told.
    pub fn tell(&mut self, steps: u32, edited: u32) {
        let word = |step: u32| if step == edited { "edited" } else { "value" };
        let line = |step: u32| {
            format!("{}> SET user:{step} {}:{step}\\n", ["A", "B", "C", "D"][step as usize % 4], word(step))
        };
        let text: String = (0..steps).map(line).collect();
        self.ask(&format!(r#"{{"load":{{"text":"{text}","known":0,"spoilt":[]}}}}"#), r#"{"story":"#);
        for _ in 0..steps {
            self.ask(r#""run""#, r#"{"ran":"#);
        }
    }

    /// Jumps to a position of the story.
    ///
    /// # Panics
    /// Where it has not been reached.
    pub fn jump(&mut self, position: u32) {
        self.ask(&format!(r#"{{"look":{{"position":{position},"rows":24}}}}"#), r#"{"frame":"#);
    }

    /// Not to be timed: a story with one long script.
    ///
    /// # Panics
    /// Where it cannot be told.
    pub fn tell_script(&mut self) {
        let rounds = SCRIPT_LINES / 2;
        let text = format!(
            "```lua s\\nlocal t, n = {{}}, 0\\nfor i = 1, {rounds} do\\n  n = n + i t[i % 8] = n\\nend\\nreturn n\\n```\\n\\n\
             ```redis\\nA> EVAL $s 0\\n```\\n"
        );
        self.ask(&format!(r#"{{"load":{{"text":"{text}","known":0,"spoilt":[]}}}}"#), r#"{"story":"#);
        self.ask(r#""run""#, r#"{"ran":"#);
    }

    /// Opens the recording of the script, at its first line.
    ///
    /// # Panics
    /// Where there is none.
    pub fn record(&mut self) {
        self.ask(r#"{"record":{"step":0,"run":0}}"#, r#"{"recording":"#);
        self.trace(0, r#"{"to":0}"#);
    }

    /// Goes to a point of the script.
    pub fn go(&mut self, point: u32) {
        self.trace(0, &format!(r#"{{"to":{point}}}"#));
        self.point = point;
    }

    /// One line on, or back.
    pub fn step(&mut self, back: bool) {
        self.trace(self.point, if back { r#""back""# } else { r#""in""# });
        self.point = if back { self.point.saturating_sub(1) } else { self.point + 1 };
    }

    fn trace(&mut self, from: u32, to: &str) {
        let request =
            format!(r#"{{"trace":{{"from":{from},"to":{to},"breakpoints":[],"watch":[],"level":0}}}}"#);
        self.ask(&request, r#"{"moment":"#);
    }

    fn ask(&mut self, request: &str, answer: &str) {
        let given = self.desk.answer_text(request);
        assert!(given.starts_with(answer), "{}", &given[..given.len().min(200)]);
    }
}
