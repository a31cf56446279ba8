//! A story in a link: the text, and where its reader stands, in the fragment of an address, which no server ever sees.
//!
//! `v1.d.` and deflate in base64url, or `v1.r.` and the bytes themselves where that is shorter. What a link says is
//! text, numbers and nothing else, and its size is bounded before it is unpacked: opening one can do no harm.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::place::is_view;

/// Inflated bytes; more are refused.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Characters of a link that chats and bookmarks still take whole.
pub const LINK_CHARS_GOOD: usize = 2_000;
/// Beyond this a file is the better way.
pub const LINK_CHARS_MAX: usize = 8_000;
/// miniz_oxide's best.
const LEVEL: u8 = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    pub text: String,
    pub position: usize,
    /// What of the page is to be seen; empty for all of it.
    pub view: String,
    /// The server that told the story, such as `8.6.3`: another page may have newer ones.
    pub version: String,
}

/// Why a link does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A later page has made it.
    Newer,
    /// It has been cut or changed on its way.
    Damaged,
    /// It holds more than this page opens.
    TooLong,
}

/// Whether a fragment is a story and not the name of one.
pub fn is_link(fragment: &str) -> bool {
    let fragment = fragment.trim_start_matches('#');
    let version = fragment.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    version.is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The fragment, without its `#`.
pub fn pack(shared: &Shared) -> String {
    let Shared { text, position, view, version } = shared;
    let plain = format!("step={position}&view={view}&redis={version}\n{text}");
    let deflated = compress_to_vec(plain.as_bytes(), LEVEL);
    let (letter, bytes) =
        if deflated.len() < plain.len() { ('d', deflated.as_slice()) } else { ('r', plain.as_bytes()) };
    format!("v1.{letter}.{}", encode(bytes))
}

/// # Errors
/// Where the link was not made by [`pack`], or has not arrived whole.
pub fn unpack(fragment: &str) -> Result<Shared, Broken> {
    let fragment = fragment.trim_start_matches('#');
    // What programs add behind a link, such as `&step=4`, is not of it.
    let fragment = fragment.split(['&', '?']).next().unwrap_or_default();
    let mut parts = fragment.splitn(3, '.');
    let (version, codec, body) = (parts.next(), parts.next(), parts.next());
    if version != Some("v1") {
        return Err(Broken::Newer);
    }
    let body = body.unwrap_or_default();
    if body.len() > TEXT_BYTES_MAX * 4 / 3 {
        return Err(Broken::TooLong);
    }
    let bytes = decode(body).ok_or(Broken::Damaged)?;
    let plain = match codec {
        Some("d") => {
            decompress_to_vec_with_limit(&bytes, TEXT_BYTES_MAX).map_err(|error| match error.status {
                miniz_oxide::inflate::TINFLStatus::HasMoreOutput => Broken::TooLong,
                _ => Broken::Damaged,
            })?
        }
        Some("r") => bytes,
        _ => return Err(Broken::Newer),
    };
    let plain = String::from_utf8(plain).map_err(|_| Broken::Damaged)?;
    let (head, text) = plain.split_once('\n').ok_or(Broken::Damaged)?;
    let mut shared = Shared { text: text.to_owned(), ..Shared::default() };
    for (name, value) in head.split('&').filter_map(|part| part.split_once('=')) {
        match name {
            "step" => shared.position = value.parse().map_err(|_| Broken::Damaged)?,
            "view" if is_view(value) => shared.view = value.to_owned(),
            "redis" if is_view(value) => shared.version = value.to_owned(),
            // A later page may say more.
            _ => {}
        }
    }
    Ok(shared)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for sextet in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(word >> (18 - 6 * sextet) & 63) as usize]));
        }
    }
    text
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.as_bytes().chunks(4) {
        let mut word = 0;
        for byte in chunk {
            let value = ALPHABET.iter().position(|known| known == byte)?;
            word = word << 6 | value as u32;
        }
        word <<= 6 * (4 - chunk.len());
        let count = chunk.len().checked_sub(1).filter(|count| *count > 0)?;
        bytes.extend_from_slice(&word.to_be_bytes()[1..=count]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(text: &str) -> Shared {
        Shared {
            text: text.to_owned(),
            position: 7,
            view: "timeline".to_owned(),
            version: "8.6.3".to_owned(),
        }
    }

    #[test]
    fn a_story_comes_out_of_its_link_as_it_went_in() {
        let long = "A> SET lock A NX PX 300\nOK\n".repeat(200);
        for text in ["", "A> PING\n", "Ünï\u{1f512}code &step=3", &long] {
            let link = pack(&shared(text));
            assert!(is_link(&link), "{link}");
            assert_eq!(unpack(&format!("#{link}")), Ok(shared(text)));
            assert_eq!(unpack(&format!("{link}&step=9")), Ok(shared(text)));
        }
        assert!(pack(&shared(&long)).len() < 250);
        assert!(pack(&shared("")).starts_with("v1.r."));
    }

    #[test]
    fn names_of_stories_are_no_links() {
        for name in ["#01-lock-stolen&step=4", "#own.x1", "#version", "#v.d.x", ""] {
            assert!(!is_link(name), "{name}");
        }
    }

    #[test]
    fn a_link_that_was_cut_or_changed_says_so() {
        let link = pack(&shared(&"A> INCR n\n".repeat(50)));
        for end in 6..link.len() {
            assert!(unpack(&link[..end]).is_err(), "cut at {end}");
        }
        for link in ["v1.d.****", "v1.d.AAAA", "v1.r.A", "v1.r._____w", "v1.", "v1.d"] {
            assert!(unpack(link).is_err(), "{link}");
        }
        assert_eq!(unpack("v2.d.AAAA"), Err(Broken::Newer));
        assert_eq!(unpack("v1.x.AAAA"), Err(Broken::Newer));
    }

    #[test]
    fn a_small_link_does_not_become_a_huge_text() {
        let bomb = format!("v1.d.{}", encode(&compress_to_vec(&vec![b'a'; 40 << 20], 6)));
        assert!(bomb.len() < 100_000);
        assert_eq!(unpack(&bomb), Err(Broken::TooLong));
    }
}
