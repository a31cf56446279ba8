//! The messages between the engine and whoever drives it, as JSON. Knows no browser.

use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Request {
    /// Runs a Lua chunk on its own.
    Lua { chunk: String },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Answer {
    Value {
        text: String,
    },
    /// The request could not be carried out; `text` is for a person.
    Error {
        text: String,
    },
}

/// Answers one request. One that is not understood is answered too, by an error.
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(request) => carry_out(request),
        Err(error) => Answer::Error { text: format!("this message is not understood: {error}") },
    };
    serde_json::to_string(&answer).expect("an answer holds nothing but text, so it can be written")
}

fn carry_out(request: Request) -> Answer {
    match request {
        Request::Lua { chunk } => {
            match mlua::Lua::new().load(chunk).set_mode(mlua::chunk::ChunkMode::Text).eval::<mlua::Value>() {
                Ok(value) => {
                    Answer::Value { text: value.to_string().unwrap_or_else(|error| error.to_string()) }
                }
                Err(error) => Answer::Error { text: error.to_string() },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[track_caller]
    fn check(request: &str, expected: &str) {
        assert_eq!(answer(request), expected);
    }

    #[test]
    fn a_chunk_is_run_and_its_value_comes_back() {
        check(r#"{"type":"lua","chunk":"return 1 + 1"}"#, r#"{"type":"value","text":"2"}"#);
    }

    #[test]
    fn what_is_no_message_is_answered_by_an_error() {
        let answer = answer("good morning");
        assert!(answer.starts_with(r#"{"type":"error","text":"this message is not understood"#), "{answer}");
    }
}
