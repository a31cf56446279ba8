//! Parameters that are about the machine a server runs on: kept without an effect, and refused where a server refuses them.

use core::net::IpAddr;

use crate::Bytes;
use crate::value::number;

use super::Value;
use super::parse::{Reason, single_words};

type Parsed = Result<Value, Reason>;

fn kept(text: impl Into<Vec<u8>>) -> Parsed {
    Ok(Value::Text(Bytes::from(text.into())))
}

/// What a machine without a network of its own can listen at. Behind a `-` the address may be one that is missing.
fn can_bind(address: &str) -> bool {
    match address.strip_prefix('-') {
        Some(optional) => optional == "::*" || optional == "*" || optional.parse::<IpAddr>().is_ok(),
        None if matches!(address, "*" | "::*" | "localhost") => true,
        None => address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified()),
    }
}

pub(super) fn addresses(text: &[u8]) -> Parsed {
    const MOST: usize = 16;
    let shown = String::from_utf8_lossy(text);
    let words = single_words(&shown);
    if words.len() > MOST {
        return Err("Too many bind addresses specified.".into());
    }
    let twice = |(index, word): (usize, &&str)| !word.starts_with('-') && words[..index].contains(word);
    if !words.iter().all(|word| can_bind(word)) || words.iter().enumerate().any(twice) {
        return Err("Failed to bind to specified addresses.".into());
    }
    kept(text)
}

pub(super) fn title(text: &[u8]) -> Parsed {
    const VARIABLES: &[&str] =
        &["title", "listen-addr", "server-mode", "port", "tls-port", "unixsocket", "config-file"];
    let shown = String::from_utf8_lossy(text);
    let mut parts = shown.split('{');
    let plain_start = parts.next().is_some_and(|part| !shown.is_empty() && !part.contains('}'));
    let known = |part: &str| part.split_once('}').is_some_and(|(name, _)| VARIABLES.contains(&name));
    if plain_start && parts.all(known) {
        return kept(text);
    }
    Err("template format is invalid or contains unknown variables".into())
}

pub(super) fn adjustments(text: &[u8]) -> Parsed {
    const COUNT: usize = 3;
    let shown = String::from_utf8_lossy(text);
    let words = single_words(&shown);
    if words.len() != COUNT {
        return Err("wrong number of arguments".into());
    }
    let valid = |word: &&str| {
        number::parse_i64(word.as_bytes()).is_some_and(|number| (-2000..=2000).contains(&number))
    };
    if words.iter().all(valid) {
        return kept(text);
    }
    Err("Invalid oom-score-adj-values, elements must be between -2000 and 2000.".into())
}

pub(super) fn hostname(text: &[u8]) -> Parsed {
    if text.len() >= 256 {
        return Err("Hostnames must be less than 256 characters".into());
    }
    if text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')) {
        return kept(text);
    }
    Err("Hostnames may only contain alphanumeric characters, hyphens or dots".into())
}

pub(super) fn node_name(text: &[u8]) -> Parsed {
    // As far as it was seen: words parted by what stands in names.
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_. ".contains(byte);
    if text.iter().all(valid) {
        return kept(text);
    }
    Err("Announced human node name contained invalid character".into())
}

/// A machine has these at least.
pub(super) fn locale(text: &[u8]) -> Parsed {
    let known: [&[u8]; 5] = [b"", b"C", b"POSIX", b"C.UTF-8", b"C.utf8"];
    if known.contains(&text) { kept(text) } else { Err("Invalid locale name".into()) }
}

/// Kept in one order; `default` is what is left where none is given.
pub(super) fn shutdown(text: &str) -> Parsed {
    const WORDS: &[&str] = &["save", "nosave", "now", "force"];
    let given = single_words(text);
    if given.is_empty() || !given.iter().all(|word| *word == "default" || WORDS.contains(word)) {
        let all = "argument(s) must be one of the following: default, save, nosave, now, force";
        return Err(all.into());
    }
    if given.contains(&"save") && given.contains(&"nosave") {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".into());
    }
    let kept_words: Vec<&str> = WORDS.iter().copied().filter(|word| given.contains(word)).collect();
    kept(if kept_words.is_empty() { "default".to_owned() } else { kept_words.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_refuses_is_refused() {
        let check = |parse: fn(&[u8]) -> Parsed, fine: &[&str], refused: &[&str]| {
            fine.iter().for_each(|text| assert!(parse(text.as_bytes()).is_ok(), "{text}"));
            refused.iter().for_each(|text| assert!(parse(text.as_bytes()).is_err(), "{text}"));
        };
        check(
            addresses,
            &["", "* -::*", "127.0.0.1 -::1", "-1.2.3.4"],
            &["1.2.3.4", "x", "-x", "127.0.0.1 127.0.0.1"],
        );
        check(title, &["{title} {port}", "x"], &["", "{x}", "{title", "{Title}"]);
        check(adjustments, &["0 200 800", "-2000 2000 0"], &["1 2", "0  200 800", "3 2 x", "0 0 9999"]);
        check(hostname, &["", "a.b-c"], &["a b"]);
    }

    #[test]
    fn words_for_shutdown_stand_in_one_order() {
        let shown = |text| match shutdown(text) {
            Ok(Value::Text(text)) => text.to_text(),
            other => format!("{other:?}"),
        };
        assert_eq!(shown("force save now"), "save now force");
        assert_eq!(shown("default now"), "now");
        assert_eq!(shown("default"), "default");
        assert!(shutdown("save nosave").is_err() && shutdown("").is_err() && shutdown("x now").is_err());
    }
}
