//! CLIENT PAUSE and CLIENT UNBLOCK: clients that wait by order, and waits that end by order.

use crate::clock::Micros;
use crate::commands;
use crate::state::BlockedOn;

use super::Server;

impl Server {
    /// When CLIENT PAUSE ends by itself.
    pub(super) fn next_pause_end(&self) -> Option<Micros> {
        self.state.pause.map(|pause| pause.until)
    }

    /// Once nothing is paused any more, what was postponed is run in the order in which it came.
    pub(super) fn end_pause(&mut self) {
        if self.state.pause.is_some_and(|pause| pause.until <= self.state.now) {
            self.state.pause = None;
        }
        if self.state.pause.is_some() || self.state.postponed.is_empty() {
            return;
        }
        // All of them run before anything is sent to listeners of prefixes.
        self.releasing = true;
        for client in std::mem::take(&mut self.state.postponed) {
            let still_waits = self.state.clients.get(&client).is_some_and(|record| {
                record.blocked.as_ref().is_some_and(|blocked| blocked.on == BlockedOn::Pause)
            });
            if let Some(blocked) = still_waits.then(|| self.unblock(client, None)).flatten() {
                self.execute(client, &blocked.argv);
                self.work_for(client);
            }
        }
        self.releasing = false;
        commands::flush_broadcasts(&mut self.state);
    }

    /// Ends the waits that CLIENT UNBLOCK has ended.
    pub(super) fn release(&mut self) {
        for (client, by) in std::mem::take(&mut self.state.released) {
            if let Some(blocked) = self.unblock(client, Some(by)) {
                self.reply(client, blocked.timeout_reply);
            }
        }
    }
}
