//! Notes on cluster mode: slots, tags and who serves them.

use crate::Bytes;
use crate::resp::quote_arg;
use crate::value::crc::key_slot;

use super::moment::{Moment, Op, Way, is_script, list, script_keys};
use super::note::{Kind, Note};

const TAGS: &str = "https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags";

static CROSS_SLOT: Kind = Kind {
    id: "crossslot",
    title: "CROSSSLOT: the keys lie in different slots",
    why: "A cluster spreads keys over 16,384 slots by their name. One command, script or transaction can only use keys of one slot, for slots can live on different nodes.",
    advice: "Give keys that belong together a common tag in braces: only what stands between { and } decides the slot.",
    docs: TAGS,
    example: "27-cluster-slots.md",
};
static SCRIPT_CROSS_SLOT: Kind = Kind {
    id: "crossslot-in-script",
    title: "The script reached for a key of another slot",
    why: "In a cluster a script runs on the node of its declared keys, and may only use keys of that slot.",
    advice: "Pass every key in KEYS, and give them a common tag in braces.",
    docs: TAGS,
    example: "27-cluster-slots.md",
};
static ELSEWHERE: Kind = Kind {
    id: "slot-elsewhere",
    title: "This node does not serve the slot",
    why: "Each node serves its own slots. For others it answers MOVED with the address of the right node, or CLUSTERDOWN where no node has the slot.",
    advice: "Use a client library that knows clusters: it follows MOVED and remembers it. A slot that nobody has must be assigned.",
    docs: "https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/",
    example: "27-cluster-slots.md",
};

pub(super) const KINDS: &[&Kind] = &[&CROSS_SLOT, &SCRIPT_CROSS_SLOT, &ELSEWHERE];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for op in moment.failed("CROSSSLOT").filter(|op| op.way != Way::Script) {
        notes.push(CROSS_SLOT.note(op.step, format!("{}.", list(&slots(&moment.keys(op))))));
    }
    for code in ["MOVED", "CLUSTERDOWN"] {
        for op in moment.failed(code).filter(|op| op.way != Way::Script) {
            notes.push(ELSEWHERE.note(op.step, format!("{}.", list(&slots(&moment.keys(op))))));
        }
    }
    if moment.after.cluster.is_some() {
        script_cross_slot(moment, notes);
    }
}

fn script_cross_slot(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for script in moment.scripts().filter(|script| script.code().is_some()) {
        let declared = if is_script(&script.argv) { script_keys(&script.argv) } else { &[] };
        let strays = |call: &&Op| {
            let keys = moment.keys(call);
            let first = declared.first().or(keys.first()).map(|key| key_slot(key));
            call.code().is_some() && keys.iter().any(|key| Some(key_slot(key)) != first)
        };
        let Some(call) = moment.calls(script.step).find(strays) else { continue };
        let mut keys: Vec<Bytes> = declared.to_vec();
        keys.extend(moment.keys(call).into_iter().filter(|key| !declared.contains(key)));
        let what = format!("`{}`: {}.", call.text(), list(&slots(&keys)));
        notes.push(SCRIPT_CROSS_SLOT.note(script.step, what));
    }
}

/// Each key with its slot and the tag that decides it.
fn slots(keys: &[Bytes]) -> Vec<String> {
    let text = |key: &Bytes| {
        let slot = key_slot(key);
        match tag(key) {
            Some(tag) => format!("`{}` is in slot {slot} by its tag {{{}}}", quote_arg(key), tag.to_text()),
            None => format!("`{}` is in slot {slot}", quote_arg(key)),
        }
    };
    keys.iter().take(4).map(text).collect()
}

/// What stands between the first `{` and the next `}`, if anything does.
fn tag(key: &Bytes) -> Option<Bytes> {
    let open = key.iter().position(|byte| *byte == b'{')?;
    let inside = &key[open + 1..];
    let close = inside.iter().position(|byte| *byte == b'}')?;
    (close > 0).then(|| Bytes::from(&inside[..close]))
}
