//! A story in which a client deletes a lock with DEL or UNLINK, without comparing who holds it.

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "deleted-lock",
    level: Level::Error,
    finds: "A story in which a client deletes a lock with DEL or UNLINK, without comparing who holds it.",
    why: "Whoever is late removes the lock of the one who came next. A lock is a key that the story makes with SET … NX or SETNX.",
    better: "Give each holder a token, and delete in a script only if `redis.call('GET', KEYS[1]) == ARGV[1]`.",
    limits: "Only stories are looked at, not scripts: what a script deletes may well have been compared. A DEL in MULTI of a key that the client watches is let off. A client that is known to hold the lock for sure is told all the same.",
    check: None,
};
