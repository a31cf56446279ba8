//! SORT: the elements of a list, set or sorted set in order, by themselves or by what other keys say.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::Bytes;
use crate::commands::acl::may_read_all;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx, Origin};
use crate::commands::notify::Class;
use crate::commands::spec::{Begin, CommandSpec, Example, Find, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::crc::key_slot;
use crate::value::number::{parse_f64, parse_f64_bound};
use crate::value::{End, HashValue, ListValue, StringValue, Typed, Value};

use super::partial_sort::partial_sort;

const UNKNOWN: KeySpec =
    KeySpec { begin: Begin::Unknown, find: Find::Unknown, flags: &["RO", "access"], notes: "" };

const BY_AND_GET: KeySpec = KeySpec {
    notes: "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort",
    ..UNKNOWN
};

const SORT: CommandSpec = CommandSpec {
    name: "sort",
    arity: -2,
    flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::MOVABLEKEYS),
    categories: &["set", "sortedset", "list", "dangerous"],
    keys: &[
        KeySpec::at(1, &["RO", "access"]),
        BY_AND_GET,
        KeySpec {
            flags: &["OW", "update"],
            notes: "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array",
            ..UNKNOWN
        },
    ],
    summary: "Sorts the elements of a list, set or sorted set, and may store the result.",
    syntax: "SORT key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA] [STORE destination]",
    reply: Shape::OneOf(&[Shape::Array, Shape::Int]),
    handler: sort,
    examples: &[Example { setup: "", run: "SORT nosuch", shows: "(empty array)" }],
    ..CommandSpec::BASE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    SORT,
    CommandSpec {
        name: "sort_ro",
        flags: Flags::READONLY.or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::at(1, &["RO", "access"]), BY_AND_GET],
        since: (7, 0, 0),
        summary: "Sorts the elements of a list, set or sorted set.",
        syntax: "SORT_RO key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]",
        reply: Shape::Array,
        examples: &[Example { setup: "", run: "SORT_RO nosuch", shows: "(empty array)" }],
        ..SORT
    },
];

#[derive(Default)]
struct Options {
    descending: bool,
    alpha: bool,
    by: Option<Bytes>,
    /// Once BY was given a pattern without a star, the elements stay as they are.
    unsorted: bool,
    gets: Vec<Bytes>,
    offset: i64,
    /// Below zero: all.
    count: Option<i64>,
    store: Option<Bytes>,
}

fn sort(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let mut options = options(ctx, argv)?;
    let (elements, is_set) = elements(ctx, key)?;
    make_skiplist(ctx, key);
    // The order of a set is no order: where it would be kept, the text decides.
    let keeps_order = options.store.is_some() || ctx.origin == Origin::Script;
    if options.unsorted && is_set && keeps_order {
        (options.unsorted, options.alpha, options.by) = (false, true, None);
    }
    let sorted = if !options.unsorted {
        sort_elements(ctx, elements, &options)?
    } else if options.descending && !is_set {
        elements.into_iter().rev().collect()
    } else {
        elements
    };
    let mut values: Vec<Option<Bytes>> = Vec::new();
    for element in &sorted[options.range(sorted.len())] {
        if options.gets.is_empty() {
            values.push(Some(element.clone()));
        }
        for pattern in &options.gets {
            values.push(look_up(ctx, pattern, element));
        }
    }
    match &options.store {
        Some(target) => store(ctx, target, values),
        None => Ok(Reply::Array(values.into_iter().map(Reply::bulk_or_nil).collect()).into()),
    }
}

fn options(ctx: &Ctx<'_>, argv: &[Bytes]) -> Result<Options, CommandError> {
    let key = &argv[1];
    let mut options = Options::default();
    let mut words = Cursor::new(&argv[2..]);
    while !words.is_done() {
        if words.take_word("asc") {
            options.descending = false;
        } else if words.take_word("desc") {
            options.descending = true;
        } else if words.take_word("alpha") {
            options.alpha = true;
        } else if words.take_word("limit") {
            let (offset, count) = (words.next()?, words.next()?);
            (options.offset, options.count) = (args::int(offset)?, Some(args::int(count)?));
        } else if ctx.spec.name == "sort" && words.take_word("store") {
            options.store = Some(words.next()?.clone());
        } else if words.take_word("by") {
            let pattern = words.next()?;
            if pattern.contains(&b'*') {
                check_cluster(ctx, "BY", pattern, key)?;
                check_permission(ctx, "BY", argv)?;
            } else {
                options.unsorted = true;
            }
            options.by = Some(pattern.clone());
        } else if words.take_word("get") {
            let pattern = words.next()?;
            // Older servers deny even the element itself.
            if **pattern != *b"#" || !knows_slots(ctx) {
                check_cluster(ctx, "GET", pattern, key)?;
            }
            check_permission(ctx, "GET", argv)?;
            options.gets.push(pattern.clone());
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(options)
}

/// Which keys a pattern names is known too late to be checked one by one.
fn check_permission(ctx: &Ctx<'_>, option: &str, argv: &[Bytes]) -> Result<(), CommandError> {
    if may_read_all(ctx.state, ctx.client, ctx.spec, argv) {
        return Ok(());
    }
    let text = format!("ERR {option} option of SORT denied due to insufficient ACL permissions.");
    Err(CommandError::Line(text.into()))
}

/// In a cluster the keys that a pattern names must be known to lie in the key's slot.
fn check_cluster(
    ctx: &Ctx<'_>,
    option: &'static str,
    pattern: &[u8],
    key: &[u8],
) -> Result<(), CommandError> {
    if ctx.state.cluster.is_none() {
        return Ok(());
    }
    let knows_slots = knows_slots(ctx);
    if knows_slots && pattern_slot(pattern) == Some(key_slot(key)) {
        return Ok(());
    }
    Err(CommandError::SortPattern { option, knows_slots })
}

/// Since 7.4 a pattern is fine in a cluster where it is known which slot its keys lie in.
fn knows_slots(ctx: &Ctx<'_>) -> bool {
    ctx.version() >= Version::V7_4
}

/// The slot of all keys that a pattern can name: where it has no star, or none up to the end of its hash tag.
fn pattern_slot(pattern: &[u8]) -> Option<u16> {
    if !pattern.contains(&b'*') {
        return Some(key_slot(pattern));
    }
    let open = pattern.iter().position(|&byte| byte == b'{')?;
    let len = pattern[open + 1..].iter().position(|&byte| byte == b'}')?;
    let tag = &pattern[open + 1..open + 1 + len];
    let star_before = pattern[..open].contains(&b'*');
    (!tag.is_empty() && !tag.contains(&b'*') && !star_before).then(|| key_slot(pattern))
}

impl Options {
    fn range(&self, len: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(self.offset).unwrap_or(0).min(len);
        let count = self.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        start..start.saturating_add(count).min(len)
    }
}

/// The elements in the collection's own order, and whether it is a set.
fn elements(ctx: &mut Ctx<'_>, key: &Bytes) -> Result<(Vec<Bytes>, bool), CommandError> {
    Ok(match ctx.lookup(key).map(|entry| &entry.value) {
        None => (Vec::new(), false),
        Some(Value::List(list)) => (list.iter().cloned().collect(), false),
        Some(Value::Set(set)) => (set.iter().collect(), true),
        Some(Value::ZSet(zset)) => (zset.iter().map(|(member, _)| member.clone()).collect(), false),
        Some(_) => return Err(CommandError::WrongType),
    })
}

/// The server gives a sorted set the form that it can sort, even for SORT_RO, and leaves it so.
fn make_skiplist(ctx: &mut Ctx<'_>, key: &Bytes) {
    let value = ctx.lookup_write(key).map(|entry| &mut entry.value);
    if let Some(Value::ZSet(zset)) = value
        && zset.encoding() == "listpack"
    {
        Arc::make_mut(zset).make_skiplist();
        ctx.reshaped(key);
    }
}

enum Weight {
    Score(f64),
    Text(Option<Bytes>),
}

fn sort_elements(
    ctx: &mut Ctx<'_>,
    elements: Vec<Bytes>,
    options: &Options,
) -> Result<Vec<Bytes>, CommandError> {
    let mut weighed = Vec::with_capacity(elements.len());
    for element in elements {
        let text = match &options.by {
            Some(pattern) => look_up(ctx, pattern, &element),
            None => Some(element.clone()),
        };
        let weight = match text {
            text if options.alpha => Weight::Text(text),
            None => Weight::Score(0.0),
            Some(text) => Weight::Score(score(&text, ctx.version()).ok_or(CommandError::SortScore)?),
        };
        weighed.push((weight, element));
    }
    // A stored result is ordered by all bytes; one that is shown as the C library orders texts, which end at a NUL.
    let whole_text = options.store.is_some();
    let order = |left: &(Weight, Bytes), right: &(Weight, Bytes)| {
        let order = compare(left, right, whole_text);
        if options.descending { order.reverse() } else { order }
    };
    let wanted = options.range(weighed.len());
    if options.by.is_some() && wanted != (0..weighed.len()) {
        partial_sort(&mut weighed, &wanted, &order);
    } else {
        weighed.sort_by(order);
    }
    Ok(weighed.into_iter().map(|(_, element)| element).collect())
}

fn compare(
    (left, left_element): &(Weight, Bytes),
    (right, right_element): &(Weight, Bytes),
    whole_text: bool,
) -> Ordering {
    match (left, right) {
        (Weight::Score(left), Weight::Score(right)) => {
            let by_score = left.partial_cmp(right).expect("scores are never NaN");
            by_score.then_with(|| left_element.cmp(right_element))
        }
        (Weight::Text(Some(left)), Weight::Text(Some(right))) if !whole_text => {
            until_nul(left).cmp(until_nul(right))
        }
        (Weight::Text(left), Weight::Text(right)) => left.cmp(right),
        _ => unreachable!("all weights are of one kind"),
    }
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// A weight as the server reads it: laxer than a score. Until 7.4 what is too big or too small is refused.
fn score(text: &[u8], version: Version) -> Option<f64> {
    let score = parse_f64_bound(text, version)?;
    let text = until_nul(text).trim_ascii_start();
    let may_have_overflowed = !text.is_empty() && (score.is_infinite() || score == 0.0);
    if version < Version::V8_0 && may_have_overflowed { parse_f64(text) } else { Some(score) }
}

/// What a pattern names for an element: the element itself (`#`), a string, or a field of a hash (`key->field`).
fn look_up(ctx: &mut Ctx<'_>, pattern: &[u8], element: &Bytes) -> Option<Bytes> {
    if pattern == b"#" {
        return Some(element.clone());
    }
    let star = pattern.iter().position(|&byte| byte == b'*')?;
    let (before, after) = (&pattern[..star], &pattern[star + 1..]);
    // An arrow with nothing behind it is part of the key.
    let arrow = after.windows(2).position(|pair| pair == b"->").filter(|&at| at + 2 < after.len());
    let suffix = &after[..arrow.unwrap_or(after.len())];
    let key = Bytes::from([before, element, suffix].concat());
    let now = ctx.now;
    let entry = ctx.lookup(&key)?;
    match arrow {
        Some(at) => HashValue::of(&entry.value)?.get_live(&after[at + 2..], now).cloned(),
        None => Some(StringValue::of(&entry.value)?.to_bytes()),
    }
}

fn store(ctx: &mut Ctx<'_>, target: &Bytes, values: Vec<Option<Bytes>>) -> CommandResult {
    let count = values.len();
    if count == 0 {
        ctx.delete(target, "del");
        return Ok(Reply::Int(0).into());
    }
    let limits = ctx.limits();
    let mut list = ListValue::new(&limits);
    for value in values {
        list.push(End::Right, &[value.unwrap_or_default()], &limits);
    }
    ctx.insert_value(target, list.into(), None);
    ctx.changed(target, Class::LIST, "sortstore");
    Ok(Reply::from(count).into())
}
