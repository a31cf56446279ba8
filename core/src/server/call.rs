//! The short way for tests: a command and its reply, a span of time.

use super::{ClientId, Event, EventKind, Input, InputKind, Server};
use crate::Bytes;
use crate::clock::Micros;
use crate::resp::Reply;

impl Server {
    /// Sends a command now and gives its reply, for a client with nothing unanswered. It is connected if it is not yet.
    /// None: there is no reply yet, as the client or its script waits, or there will be none; what comes later is among
    /// the events of later inputs.
    pub fn call<T: Into<Bytes>>(
        &mut self,
        client: ClientId,
        argv: impl IntoIterator<Item = T>,
    ) -> Option<Reply> {
        let argv = argv.into_iter().map(Into::into).collect();
        let events = self.apply(Input { at: self.now(), kind: InputKind::Command { client, argv } });
        events.into_iter().find_map(|event| match event.kind {
            EventKind::Replied { client: of, reply, .. } if of == client => Some(reply),
            _ => None,
        })
    }

    /// Lets time pass and gives what happened by itself: keys expire, waits end.
    pub fn advance_by(&mut self, span: Micros) -> Vec<Event> {
        self.apply(Input { at: self.now() + span, kind: InputKind::Advance })
    }
}
