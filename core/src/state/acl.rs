//! Users and what they may do, as data. Knows no commands: a selector holds the names it allows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use imbl::OrdMap;

use crate::Bytes;
use crate::clock::Micros;

/// All users and the log of what was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Acl {
    users: OrdMap<Bytes, Arc<User>>,
    /// Newest first.
    pub log: Arc<VecDeque<LogEntry>>,
    /// How many entries the log has ever had.
    pub logged: u64,
}

/// The user that every connection begins as.
pub const DEFAULT_USER: &str = "default";

#[derive(Clone, Debug, PartialEq)]
pub struct User {
    pub name: Bytes,
    pub enabled: bool,
    /// Any password will do.
    pub no_password: bool,
    /// Whether RESTORE checks payloads of this user; None where nobody has said so.
    pub sanitize_payload: Option<bool>,
    /// SHA-256 of each password, in hexadecimal digits.
    pub passwords: Vec<Bytes>,
    /// The permissions outside of parentheses.
    pub root: Selector,
    pub selectors: Vec<Selector>,
}

/// A set of permissions. A command is allowed if one of a user's selectors allows all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selector {
    /// No command is left out.
    pub all_commands: bool,
    /// Commands that are not known yet are allowed: `+@all` was the base.
    pub future_commands: bool,
    /// Full names; not asked where all commands are allowed.
    pub commands: BTreeSet<&'static str>,
    /// `+select|0`: the command only with one of these first arguments.
    pub first_arguments: BTreeMap<&'static str, Vec<Bytes>>,
    /// The rules since `+@all` or `-@all`, as they were given: `+get`, `-@write`.
    pub rules: Vec<String>,
    pub all_keys: bool,
    pub keys: Vec<KeyPattern>,
    pub all_channels: bool,
    pub channels: Vec<Bytes>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyPattern {
    pub pattern: Bytes,
    pub read: bool,
    pub write: bool,
}

/// Something that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    pub id: u64,
    pub count: u64,
    /// `command`, `key`, `channel` or `auth`.
    pub reason: &'static str,
    /// `toplevel`, `multi` or `lua`.
    pub context: &'static str,
    pub object: Bytes,
    pub user: Bytes,
    pub created_at: Micros,
    pub updated_at: Micros,
    /// As CLIENT INFO tells.
    pub client: String,
}

impl Selector {
    pub const fn unrestricted(&self) -> bool {
        self.all_commands && self.all_keys && self.all_channels
    }
}

impl User {
    /// A user as SETUSER makes it: it can do nothing yet.
    pub fn new(name: Bytes, sanitize_payload: Option<bool>) -> Self {
        Self {
            name,
            enabled: false,
            no_password: false,
            sanitize_payload,
            passwords: Vec::new(),
            root: Selector::default(),
            selectors: Vec::new(),
        }
    }

    pub fn all_selectors(&self) -> impl Iterator<Item = &Selector> {
        std::iter::once(&self.root).chain(&self.selectors)
    }

    /// Whether a connection needs no AUTH to be this user.
    pub fn is_open(&self) -> bool {
        self.enabled && self.no_password
    }
}

impl Acl {
    /// Only the default user, who may do everything.
    pub fn new(sanitize_payload: Option<bool>) -> Self {
        let user = User {
            enabled: true,
            no_password: true,
            root: Selector {
                all_commands: true,
                future_commands: true,
                all_keys: true,
                all_channels: true,
                ..Selector::default()
            },
            ..User::new(Bytes::from(DEFAULT_USER), sanitize_payload)
        };
        let users = OrdMap::unit(user.name.clone(), Arc::new(user));
        Self { users, log: Arc::default(), logged: 0 }
    }

    pub fn user(&self, name: &[u8]) -> Option<&Arc<User>> {
        self.users.get(name)
    }

    pub fn default_user(&self) -> &User {
        self.users.get(DEFAULT_USER.as_bytes()).expect("the default user can't be removed")
    }

    /// Sorted by name.
    pub fn users(&self) -> impl Iterator<Item = &Arc<User>> {
        self.users.values()
    }

    /// Puts a user in; one of the same name goes.
    pub fn insert(&mut self, user: User) {
        self.users.insert(user.name.clone(), Arc::new(user));
    }

    /// Whether there was such a user. The default user must stay.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        debug_assert_ne!(name, DEFAULT_USER.as_bytes());
        self.users.remove(name).is_some()
    }
}
