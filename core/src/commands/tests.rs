//! What holds for every record of the table.

use std::collections::BTreeSet;

use crate::event::{ClientId, EventKind};
use crate::resp::{Reply, split_args, terminal_text};
use crate::server::{Input, InputKind, Options, Server};

use super::table::FAMILIES;
use super::{CommandSpec, Flags, Shape, all};

/// Runs one line as a client and gives its reply.
pub(super) fn run(server: &mut Server, line: &str) -> Option<Reply> {
    let argv = split_args(line.as_bytes()).expect("examples are quoted well");
    let kind = InputKind::Command { client: ClientId(1), argv };
    let events = server.apply(Input { at: server.now(), kind });
    events.into_iter().find_map(|event| match event.kind {
        EventKind::Replied { reply, .. } => Some(reply),
        _ => None,
    })
}

fn fits(reply: &Reply, shape: Shape) -> bool {
    match (shape, reply) {
        (Shape::Any, _) | (_, Reply::Error(_)) => true,
        (Shape::OneOf(shapes), _) => shapes.iter().any(|shape| fits(reply, *shape)),
        (Shape::Status, Reply::Status(_))
        | (Shape::Int, Reply::Int(_))
        | (Shape::Bulk | Shape::BulkOrNil, Reply::Bulk(_))
        | (Shape::BulkOrNil | Shape::Nil, Reply::Nil | Reply::NilArray)
        | (Shape::Double, Reply::Double(_))
        | (Shape::Array, Reply::Array(_))
        | (Shape::Map, Reply::Map(_))
        | (Shape::Set, Reply::Set(_))
        | (Shape::Push, Reply::Push(_)) => true,
        _ => false,
    }
}

#[test]
fn every_example_shows_what_the_engine_answers() {
    for spec in all() {
        for example in spec.examples {
            let mut server = Server::new(Options::default());
            for line in example.setup.lines() {
                run(&mut server, line);
            }
            let reply = run(&mut server, example.run).unwrap_or_else(|| panic!("{}: no reply", example.run));
            let version = server.state().version;
            let shown = terminal_text(&reply.as_sent(Default::default(), version), version);
            assert_eq!(shown.trim_end(), example.shows, "{}", example.run);
            assert!(fits(&reply, spec.reply), "{}: {reply:?} is not {:?}", example.run, spec.reply);
        }
    }
}

#[test]
fn records_are_whole() {
    let mut names = BTreeSet::new();
    for spec in all() {
        let CommandSpec { name, .. } = spec;
        assert!(names.insert(name), "{name} stands twice");
        assert_eq!(*name, name.to_ascii_lowercase());
        assert!(!spec.summary.is_empty() && !spec.syntax.is_empty(), "{name} has no help");
        assert_ne!(spec.arity, 0, "{name} has no arity");
        let both = spec.has(Flags::WRITE) && spec.has(Flags::READONLY);
        assert!(!both, "{name} can't both write and be read-only");
    }
    for family in FAMILIES {
        assert!(family.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted by name");
    }
}
