//! Clients that wait: for keys, in the order in which they came, or for time.
//!
//! A client whose key was written runs its command once more, as a whole; what it finds then decides. Before 7.2 it is
//! served from the very key that was written, and keeps its place where there was nothing for it.

use std::collections::VecDeque;

use crate::commands::{self, Outcome};
use crate::event::{ClientId, EventKind};
use crate::keyspace::KeyId;
use crate::profile::Version;
use crate::state::{Blocked, BlockedOn, ReadyKey};

use super::Server;

impl Server {
    pub(super) fn block(&mut self, client: ClientId, blocked: Blocked) {
        let now = self.state.now;
        let keys = match &blocked.on {
            BlockedOn::Keys { keys, .. } => keys.clone(),
            BlockedOn::Time | BlockedOn::Pause => Vec::new(),
        };
        self.state.journal.detail(now, || EventKind::Blocked { client, keys });
        if blocked.on == BlockedOn::Pause {
            self.state.postponed.push(client);
        }
        self.state.block(client, blocked);
    }

    /// Answers the clients whose waiting time is over, and lets those try again who wait for time itself.
    pub(super) fn end_waits(&mut self) {
        let now = self.state.now;
        while let Some((_, client)) = self.state.waiting.next_deadline().filter(|(at, _)| *at <= now) {
            let blocked = self.state.client(client).blocked.as_ref();
            if blocked.is_some_and(|blocked| blocked.deadline.is_none_or(|end| end > now)) {
                self.retry(client, None, None);
                continue;
            }
            if let Some(blocked) = self.unblock(client, None) {
                self.reply(client, blocked.timeout_reply);
            }
        }
    }

    pub(super) fn unblock(&mut self, client: ClientId, by: Option<ClientId>) -> Option<Blocked> {
        let blocked = self.state.unblock(client)?;
        self.state.journal.detail(self.state.now, || EventKind::Unblocked { client, by });
        self.queue_last(client);
        Some(blocked)
    }

    /// What a client has sent while it waited is run in the order in which the waits ended, whenever it arrived.
    fn queue_last(&mut self, client: ClientId) {
        let (own, mut others): (VecDeque<_>, VecDeque<_>) =
            self.backlog.drain(..).partition(|arrived| arrived.client == client);
        others.extend(own);
        self.backlog = others;
    }

    /// Lets clients that wait for keys just written try again. Serving one can make further keys ready (BLMOVE),
    /// so it goes on until nothing is.
    pub(super) fn serve_ready_keys(&mut self) {
        loop {
            let ready = self.state.waiting.take_ready();
            if ready.is_empty() {
                return;
            }
            for key in ready {
                // Whoever comes to stand in line meanwhile is not served from this writing.
                for client in self.state.waiting.clients(key.db, &key.key) {
                    if self.can_serve(client, &key) {
                        self.retry(client, Some(&key.key), Some(key.by));
                    }
                }
            }
        }
    }

    /// Whether the key now holds what the client waits for. It may have been served, or the key emptied, since.
    fn can_serve(&self, client: ClientId, ready: &ReadyKey) -> bool {
        let Some(Blocked { on: BlockedOn::Keys { db, keys, awaited }, .. }) =
            self.state.clients.get(&client).and_then(|record| record.blocked.as_ref())
        else {
            return false;
        };
        let waits_here = *db == ready.db && keys.iter().any(|key| KeyId::new(key) == ready.key);
        let value = self.state.dbs[ready.db].get(&ready.key).map(|entry| &entry.value);
        waits_here && awaited.is_served_by(value)
    }

    /// Runs a blocked client's command again; it may have to go on waiting.
    fn retry(&mut self, client: ClientId, ready: Option<&KeyId>, by: Option<ClientId>) {
        let whole_command = self.state.version >= Version::V7_2;
        let Some(argv) = self.state.client(client).blocked.as_ref().map(|blocked| blocked.argv.clone())
        else {
            return;
        };
        let only_key = ready.filter(|_| !whole_command).map(|key| key.key().clone());
        self.state.executing = Some(client);
        let outcome = commands::retry_blocked(&mut self.state, &self.engine, client, &argv, only_key);
        self.state.executing = None;
        match outcome {
            Outcome::Block(again) if whole_command => {
                if let Some(blocked) = self.state.unblock(client) {
                    self.state.block(client, Blocked { retry_at: again.retry_at, ..blocked });
                }
            }
            Outcome::Block(_) => {}
            outcome => {
                self.unblock(client, by);
                self.answer(client, outcome);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::event::{ClientId, EventKind};
    use crate::profile::Version;
    use crate::resp::split_args;
    use crate::server::tests::{check, check_in};
    use crate::server::{Input, InputKind, Options, Server};

    #[test]
    fn the_longest_waiting_is_served_first_and_the_others_time_out() {
        check(
            "A: BLPOP k 0.1
             B: BLPOP other k 0
             C: BRPOP k 0.2
             D: RPUSH k 1 2
             +300ms
             D: LLEN k",
            "D 0.004 (integer) 2
             A 0.004 1) \"k\"
             2) \"1\"
             B 0.004 1) \"k\"
             2) \"2\"
             C 200.002 (nil)
             D 300.005 (integer) 0",
        );
    }

    #[test]
    fn an_element_that_is_gone_again_at_the_end_of_a_transaction_serves_nobody() {
        check(
            "A: BLPOP k 0
             B: MULTI
             B: RPUSH k 1
             B: LPOP k
             B: EXEC
             B: EVAL \"redis.call('rpush', 'k', 'x', 'y') return redis.call('lpop', 'k')\" 0",
            "B 0.002 OK
             B 0.003 QUEUED
             B 0.004 QUEUED
             B 0.005 1) (integer) 1
             2) \"1\"
             B 0.026 \"x\"
             A 0.026 1) \"k\"
             2) \"y\"",
        );
    }

    #[test]
    fn an_element_moved_on_wakes_the_next_in_the_chain() {
        check(
            "A: BLMOVE src dst LEFT RIGHT 0
             B: BLPOP dst 0
             C: BLPOP src 0
             D: RPUSH src a b",
            "D 0.004 (integer) 2
             A 0.004 \"a\"
             C 0.004 1) \"src\"
             2) \"b\"
             B 0.004 1) \"dst\"
             2) \"a\"",
        );
    }

    #[test]
    fn a_value_of_another_type_wakes_nobody_and_a_bad_destination_is_told_at_the_end_of_the_wait() {
        check(
            "A: BLPOP k 0
             B: SET k x
             B: DEL k
             C: BLMOVE k str LEFT LEFT 0
             B: SET str x
             B: RPUSH k 1 2
             B: LRANGE k 0 -1",
            "B 0.002 OK
             B 0.003 (integer) 1
             B 0.005 OK
             B 0.006 (integer) 2
             A 0.006 1) \"k\"
             2) \"1\"
             C 0.006 (error) WRONGTYPE Operation against a key holding the wrong kind of value
             B 0.007 1) \"2\"",
        );
    }

    const TWO_KEYS: &str = "A: BLPOP k2 0
                            B: BLPOP k1 0
                            C: BLPOP k2 k1 0
                            D: BLPOP k1 k2 0
                            E: EVAL \"redis.call('rpush', 'k1', 'a', 'b') redis.call('rpush', 'k2', 'c', 'd')\" 0";

    /// As 8.2.3: woken by k1, C still looks at k2 first.
    #[test]
    fn a_woken_client_runs_its_whole_command_again() {
        check(
            TWO_KEYS,
            "E 0.025 (nil)
             B 0.025 1) \"k1\"
             2) \"a\"
             C 0.025 1) \"k2\"
             2) \"c\"
             D 0.025 1) \"k1\"
             2) \"b\"
             A 0.025 1) \"k2\"
             2) \"d\"",
        );
    }

    /// As 7.0.15.
    #[test]
    fn before_7_2_a_client_is_served_from_the_key_that_woke_it() {
        check_in(
            Version::V7_0,
            TWO_KEYS,
            "E 0.025 (nil)
             B 0.025 1) \"k1\"
             2) \"a\"
             C 0.025 1) \"k1\"
             2) \"b\"
             A 0.025 1) \"k2\"
             2) \"c\"
             D 0.025 1) \"k2\"
             2) \"d\"",
        );
    }

    /// As both real servers: when the sorted set was made nobody waited for one, and overwriting a key makes none.
    #[test]
    fn a_list_that_overwrites_what_nobody_waited_for_wakes_nobody() {
        check(
            "A: BLPOP k 0
             B: RPUSH src 1
             B: MULTI
             B: ZADD k 1 m
             B: SORT src STORE k
             B: EXEC
             B: LLEN k",
            "B 0.002 (integer) 1
             B 0.003 OK
             B 0.004 QUEUED
             B 0.005 QUEUED
             B 0.006 1) (integer) 1
             2) (integer) 1
             B 0.007 (integer) 1",
        );
    }

    /// As 8.2.3: B sent its GET first, but A was served first.
    #[test]
    fn what_was_sent_behind_a_wait_runs_in_the_order_in_which_the_waits_end() {
        check(
            "A: BLPOP k 0
             B: BLPOP k 0
             B: APPEND log b
             A: APPEND log a
             C: RPUSH k 1 2
             C: GET log",
            "C 0.003 (integer) 2
             A 0.003 1) \"k\"
             2) \"1\"
             B 0.003 1) \"k\"
             2) \"2\"
             A 0.004 (integer) 1
             B 0.005 (integer) 2
             C 0.006 \"ab\"",
        );
    }

    #[test]
    fn one_who_leaves_takes_nothing() {
        let mut server = Server::new(Options::default());
        let run = |server: &mut Server, client, line: &str| {
            let argv = split_args(line.as_bytes()).expect("well quoted");
            server.apply(Input {
                at: server.now(),
                kind: InputKind::Command { client: ClientId(client), argv },
            })
        };
        run(&mut server, 1, "BLPOP k 0");
        run(&mut server, 2, "BLPOP k 0");
        server.apply(Input { at: server.now(), kind: InputKind::Disconnect { client: ClientId(1) } });
        let events = run(&mut server, 3, "RPUSH k x");
        let woken: Vec<&EventKind> = events
            .iter()
            .map(|event| &event.kind)
            .filter(|kind| matches!(kind, EventKind::Unblocked { .. }))
            .collect();
        assert_eq!(woken, [&EventKind::Unblocked { client: ClientId(2), by: Some(ClientId(3)) }]);
    }
}
