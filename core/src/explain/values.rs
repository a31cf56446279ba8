//! Notes on what scripts return and on what Lua makes of replies.

use crate::resp::Protocol;

use super::conversion::{Conversion, Rule};
use super::moment::{Moment, is_nil, number};
use super::note::{Kind, Note};

const CONVERSION: &str = "https://redis.io/docs/latest/develop/programmability/lua-api/#data-type-conversion";
const LESSON: &str = "11-what-scripts-return.md";

static NUMBER_CUT: Kind = Kind {
    id: "number-cut",
    title: "Decimals are cut off",
    why: "Lua has one kind of number, replies have integers: whatever stands behind the point is dropped, not rounded.",
    advice: "Return the number as a string: tostring(x), or string.format('%.2f', x).",
    docs: CONVERSION,
    example: LESSON,
};
static NUMBER_OUT_OF_RANGE: Kind = Kind {
    id: "number-out-of-range",
    title: "The number fits no integer",
    why: "An integer reply has 64 bits. A number beyond that, an infinity or NaN becomes the smallest integer there is.",
    advice: "Return it as a string, and check the arithmetic that led to it.",
    docs: CONVERSION,
    example: LESSON,
};
static NUMBER_ROUNDED: Kind = Kind {
    id: "number-rounded",
    title: "A large number has lost digits",
    why: "Lua's numbers are doubles: above 2^53 (9007199254740992) not every integer exists, the nearest one is taken.",
    advice: "Keep large IDs as strings in Lua, and count with INCRBY, which knows all 64 bits.",
    docs: CONVERSION,
    example: LESSON,
};
static NIL_ENDS_ARRAY: Kind = Kind {
    id: "nil-ends-array",
    title: "The array ends at the first nil",
    why: "A table is sent as an array by counting 1, 2, 3… up to the first element that is nil. What stands behind it is not sent.",
    advice: "Put a value in the hole: false (the client sees nil), an empty string, or a marker of your own.",
    docs: CONVERSION,
    example: LESSON,
};
static FIELDS_DROPPED: Kind = Kind {
    id: "fields-dropped",
    title: "Fields with names are not sent",
    why: "Only the elements 1, 2, 3… of a table become the reply. Names have no place in an array.",
    advice: "Return names and values in turns, as HGETALL does; or cjson.encode the table; or {map = …} after redis.setresp(3).",
    docs: CONVERSION,
    example: LESSON,
};
static FALSE_IS_NIL: Kind = Kind {
    id: "false-is-nil",
    title: "false became nil",
    why: "RESP2 has no booleans: false is sent as the null reply, and true as 1.",
    advice: "Return 0 and 1 where a client must tell no from nothing.",
    docs: CONVERSION,
    example: LESSON,
};
static TRUE_IS_ONE: Kind = Kind {
    id: "true-is-one",
    title: "true became 1",
    why: "RESP2 has no booleans: true is sent as the integer 1, and false as nil, not as 0.",
    advice: "Return 1 and 0: then both answers are integers.",
    docs: CONVERSION,
    example: LESSON,
};
static NOTHING_RETURNED: Kind = Kind {
    id: "nothing-returned",
    title: "The script returns nothing",
    why: "A script without a return, or one that returns nil, answers nil: the same as for a missing key.",
    advice: "End the script with a return, so that the client knows what happened.",
    docs: CONVERSION,
    example: LESSON,
};
static NO_FORM: Kind = Kind {
    id: "no-form",
    title: "A function can't be a reply",
    why: "Functions and coroutines have no form in the protocol: nil is sent instead.",
    advice: "Was a call meant? Then its parentheses are missing.",
    docs: CONVERSION,
    example: LESSON,
};
static MISSING_IS_FALSE: Kind = Kind {
    id: "missing-key-is-false",
    title: "A missing key is false in Lua",
    why: "The null reply reaches a script as false, not as nil. `== nil` is never true for it, and tonumber(false) raises no error but gives nil.",
    advice: "Test with `if not value then`; give a default with `value or '0'`.",
    docs: CONVERSION,
    example: LESSON,
};

pub(super) const KINDS: &[&Kind] = &[
    &NUMBER_CUT,
    &NUMBER_OUT_OF_RANGE,
    &NUMBER_ROUNDED,
    &NIL_ENDS_ARRAY,
    &FIELDS_DROPPED,
    &FALSE_IS_NIL,
    &TRUE_IS_ONE,
    &NOTHING_RETURNED,
    &NO_FORM,
    &MISSING_IS_FALSE,
];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for returned in &moment.returns {
        of_conversion(returned.step, &returned.conversion(), notes);
    }
    missing_keys(moment, notes);
}

/// One note for each rule that lost something.
fn of_conversion(step: usize, conversion: &Conversion, notes: &mut Vec<Note>) {
    const LOSSES: &[(Rule, &Kind)] = &[
        (Rule::NumberCut, &NUMBER_CUT),
        (Rule::NumberOutOfRange, &NUMBER_OUT_OF_RANGE),
        (Rule::NumberRounded, &NUMBER_ROUNDED),
        (Rule::BehindNil, &NIL_ENDS_ARRAY),
        (Rule::FieldDropped, &FIELDS_DROPPED),
        (Rule::False, &FALSE_IS_NIL),
        (Rule::True, &TRUE_IS_ONE),
        (Rule::NoForm, &NO_FORM),
    ];
    for (rule, kind) in LOSSES {
        let Some(line) = conversion.by(*rule) else { continue };
        let lua = line.whole();
        let what = match (&line.reply, rule) {
            (_, Rule::BehindNil) => format!("`{lua}` stands behind a nil and is not in the reply."),
            (Some(reply), _) => format!("The script returned `{lua}`; the reply is `{reply}`."),
            (None, _) => format!("`{lua}` is not in the reply."),
        };
        notes.push(kind.note(step, what));
    }
    if let [only] = &conversion.lines[..]
        && only.rule == Rule::Nil
    {
        notes.push(NOTHING_RETURNED.note(step, "The script ended without a value; the reply is `(nil)`."));
    }
}

fn missing_keys(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let mut told = Vec::new();
    for script in moment.scripts() {
        let resp3 = moment
            .returns
            .iter()
            .any(|returned| returned.step == script.step && returned.protocol == Protocol::Resp3);
        if resp3 || told.contains(&script.step) {
            continue;
        }
        let is_missing = |call: &&super::moment::Op| is_nil(&call.reply) && !moment.writes(call);
        let Some(call) = moment.calls(script.step).find(is_missing) else { continue };
        told.push(script.step);
        let what =
            format!("`{}` found nothing, and step {} goes on with false.", call.text(), number(script.step));
        notes.push(MISSING_IS_FALSE.note(script.step, what));
    }
}
