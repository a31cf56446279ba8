//! What a server is made with, as it comes from JavaScript.

use playground_core::clock::Micros;
use playground_core::profile::Version;
use playground_core::server::{self, Server};
use playground_core::state::Layout;
use serde::Deserialize;

/// A field that is left out has the default of [`server::Options`], but for the costs: see [`server_of`].
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    version: Option<String>,
    /// Microseconds since 1970, as digits: JSON's numbers end too early.
    now_micros: Option<String>,
    /// As `@ cluster` in a story has it; an empty text: all slots.
    cluster: Option<String>,
    config: Vec<(String, String)>,
    /// Microseconds that a command takes.
    command_micros: Option<u64>,
    /// Lua VM instructions that take a microsecond.
    instructions_per_micro: Option<u64>,
}

/// Time that only passes when a test says so: a command takes none by itself.
const COMMAND: Micros = Micros(0);
/// About what a real machine does.
const INSTRUCTIONS_PER_MICRO: u64 = 100;

/// # Errors
/// A sentence for whoever wrote the options.
pub(crate) fn server_of(json: &str) -> Result<Server, String> {
    let options: Options = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut wanted = server::Options { detailed: false, ..server::Options::default() };
    if let Some(text) = &options.version {
        wanted.version = version(text)?;
    }
    if let Some(digits) = &options.now_micros {
        wanted.now = Micros(digits.parse().map_err(|_| format!("now: {digits} is no moment since 1970"))?);
    }
    if let Some(text) = &options.cluster {
        let layout = if text.is_empty() { Layout::shared(&[wanted.port], 0) } else { Layout::parse(text)? };
        wanted.cluster = Some(layout);
    }
    wanted.cost.command = options.command_micros.map_or(COMMAND, Micros);
    wanted.cost.instructions_per_micro =
        options.instructions_per_micro.unwrap_or(INSTRUCTIONS_PER_MICRO).max(1);
    let mut server = Server::new(wanted);
    for (name, value) in &options.config {
        server.configure(name, value).map_err(|reason| format!("config: {reason}"))?;
    }
    Ok(server)
}

/// # Errors
/// With the versions there are.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| {
        let known: Vec<&str> = Version::ALL.iter().map(|version| version.full()).collect();
        format!("no Redis {text:?} is offered; there are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(json: &str, why: &str) {
        let reason = server_of(json).map(|_| ()).expect_err("such options are refused");
        assert!(reason.contains(why), "{reason}");
    }

    #[test]
    fn options_that_cannot_be_had_are_named() {
        refused(r#"{"version":"6.2"}"#, "no Redis \"6.2\" is offered; there are 7.0.15,");
        refused(r#"{"config":[["no-such","1"]]}"#, "config: no parameter is called 'no-such'");
        refused(r#"{"cluster":"nonsense"}"#, "nonsense");
        refused(r#"{"now_micros":"-1"}"#, "now: -1 is no moment since 1970");
        refused(r#"{"nwo":1}"#, "unknown field");
    }

    #[test]
    fn time_stands_still_unless_asked_otherwise() {
        let server = server_of(r#"{"now_micros":"1000","version":"7.2"}"#).unwrap();
        assert_eq!(server.now(), Micros(1000));
        assert_eq!(server.state().cost.command, Micros(0));
        assert_eq!(server.state().version, Version::V7_2);
    }
}
