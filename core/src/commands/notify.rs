//! Keyspace notifications: which classes are on, and the messages they publish.

use crate::Bytes;
use crate::state::{Param, State};

/// A class of notifications, by its letter in `notify-keyspace-events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(u8);

impl Class {
    pub const GENERIC: Self = Self(b'g');
    pub const STRING: Self = Self(b'$');
    pub const LIST: Self = Self(b'l');
    pub const SET: Self = Self(b's');
    pub const HASH: Self = Self(b'h');
    pub const ZSET: Self = Self(b'z');
    pub const STREAM: Self = Self(b't');
    pub const EXPIRED: Self = Self(b'x');
    pub const EVICTED: Self = Self(b'e');
    pub const MISS: Self = Self(b'm');
    pub const NEW: Self = Self(b'n');
    pub const OVERWRITTEN: Self = Self(b'o');
    pub const TYPE_CHANGED: Self = Self(b'c');
}

/// The classes that `A` stands for.
const ALL: &[u8] = b"g$lshzxetd";

/// Publishes `event` on the key's two notification channels, where the configuration asks for it.
pub fn notify(state: &mut State, db: usize, class: Class, event: &str, key: &Bytes) {
    let flags = state.config.text(Param::NOTIFY_KEYSPACE_EVENTS);
    if flags.is_empty() {
        return;
    }
    let class_is_on = flags.contains(&class.0) || (flags.contains(&b'A') && ALL.contains(&class.0));
    if !class_is_on {
        return;
    }
    if flags.contains(&b'K') {
        let channel = [format!("__keyspace@{db}__:").as_bytes(), key].concat();
        super::pubsub::publish(state, &channel.into(), &Bytes::from(event));
    }
    if flags.contains(&b'E') {
        let channel = format!("__keyevent@{db}__:{event}");
        super::pubsub::publish(state, &channel.into(), key);
    }
}
