//! Links that hold a story.

use playground_model::share::{Shared, is_link, pack, unpack};

use super::same;
use crate::chance::Chance;

const ALPHABET: &[u8] = b"v1.drABCabc012-_=&#.";

/// What was packed comes out again; what was changed on its way is refused, or is a text within bounds.
pub(super) fn run(chance: &mut Chance) -> Result<(), String> {
    let text = String::from_utf8_lossy(&chance.bytes(400)).into_owned();
    let shared =
        Shared { text, position: chance.below(100), view: String::new(), version: "8.6.3".to_owned() };
    let link = pack(&shared);
    same("what came out of a link", &unpack(&link), &Ok(shared))?;
    let mut bytes = if chance.one_in(3) { chance.bytes_of(ALPHABET, 60) } else { link.into_bytes() };
    chance.mutate(&mut bytes);
    let fragment = String::from_utf8_lossy(&bytes);
    let _ = is_link(&fragment);
    match unpack(&fragment) {
        Ok(shared) if shared.text.len() > playground_model::share::TEXT_BYTES_MAX => {
            Err(format!("{} bytes came out of a link", shared.text.len()))
        }
        _ => Ok(()),
    }
}
