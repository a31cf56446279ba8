//! What a library's functions can reach in Lua, as a fingerprint: it tells whether a run has changed anything there.
//!
//! Looking changes nothing. What belongs to the sandbox, which no library can change, is passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;

use mlua::ffi::{self, lua_State};
use xxhash_rust::xxh3::Xxh3;

/// Values that are looked at; with more of them nothing is known for certain.
const VALUES_MAX: usize = 50_000;

/// Two that are equal and known were taken of the same values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// What the values are: the same wherever the same has been done.
    pub(super) content: u64,
    /// Which objects they are, in this VM.
    identity: u64,
    /// All has been looked at: there are not too many values, and no coroutine, whose inside cannot be seen.
    known: bool,
}

impl Reach {
    /// Whether what was reached before is certain to be as it was.
    pub(super) fn is_same(&self, before: &Self) -> bool {
        self.known && self == before
    }
}

/// Addresses of tables that are passed over.
pub(super) type Sealed = BTreeSet<usize>;

/// All tables within reach of the values that these registry references hold.
///
/// # Safety
/// `state` is an idle VM, the references are of its registry.
pub(super) unsafe fn sealed(state: *mut lua_State, references: impl Iterator<Item = c_int>) -> Sealed {
    let none = Sealed::new();
    // SAFETY: as promised by the caller.
    let walk = unsafe { walk(state, references, &none) };
    walk.tables
}

/// What the functions that these registry references hold can reach.
///
/// # Safety
/// As for [`sealed`].
pub(super) unsafe fn reach(
    state: *mut lua_State,
    references: impl Iterator<Item = c_int>,
    sealed: &Sealed,
) -> Reach {
    // SAFETY: as promised by the caller.
    let walk = unsafe { walk(state, references, sealed) };
    Reach { content: walk.content.digest(), identity: walk.identity.digest(), known: walk.known }
}

struct Walk<'a> {
    state: *mut lua_State,
    sealed: &'a Sealed,
    /// Objects by address, numbered in the order in which they were found.
    found: BTreeMap<usize, c_int>,
    tables: Sealed,
    values: usize,
    content: Xxh3,
    identity: Xxh3,
    known: bool,
}

/// The stack slot of the table that holds objects to look at, by number.
const QUEUE: c_int = 1;

unsafe fn walk<'a>(
    state: *mut lua_State,
    references: impl Iterator<Item = c_int>,
    sealed: &'a Sealed,
) -> Walk<'a> {
    let mut walk = Walk {
        state,
        sealed,
        found: BTreeMap::new(),
        tables: Sealed::new(),
        values: 0,
        content: Xxh3::new(),
        identity: Xxh3::new(),
        known: true,
    };
    // SAFETY: the stack of an idle VM is empty and has room; it is left empty.
    unsafe {
        ffi::lua_settop(state, 0);
        ffi::lua_createtable(state, 0, 0);
        for reference in references {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, reference.into());
            walk.value();
        }
        let mut next = 1;
        while next <= walk.found.len() as c_int && walk.known {
            ffi::lua_rawgeti(state, QUEUE, next.into());
            walk.object();
            ffi::lua_settop(state, QUEUE);
            next += 1;
        }
        ffi::lua_settop(state, 0);
    }
    walk
}

impl Walk<'_> {
    /// Takes in the value on top and pops it.
    ///
    /// # Safety
    /// The stack holds the queue and has three free slots; so for the following.
    unsafe fn value(&mut self) {
        let state = self.state;
        self.values += 1;
        self.known &= self.values <= VALUES_MAX;
        // SAFETY: reads of the value on top.
        unsafe {
            let kind = ffi::lua_type(state, -1);
            self.content.update(&[kind as u8]);
            match kind {
                ffi::LUA_TNIL => {}
                ffi::LUA_TBOOLEAN => self.content.update(&[ffi::lua_toboolean(state, -1) as u8]),
                ffi::LUA_TNUMBER => {
                    self.content.update(&ffi::lua_tonumber(state, -1).to_bits().to_le_bytes());
                }
                ffi::LUA_TSTRING => {
                    let text = super::raise::string_at(state, -1).unwrap_or_default();
                    self.content.update(&text.len().to_le_bytes());
                    self.content.update(text);
                }
                _ => {
                    let address = ffi::lua_topointer(state, -1).addr();
                    self.identity.update(&address.to_le_bytes());
                    if kind != ffi::LUA_TLIGHTUSERDATA && !self.sealed.contains(&address) {
                        return self.enqueue(address);
                    }
                }
            }
            ffi::lua_pop(state, 1);
        }
    }

    /// Leaves the object on top for later, if it is a new one, and pops it.
    unsafe fn enqueue(&mut self, address: usize) {
        let next = self.found.len() as c_int + 1;
        let number = *self.found.entry(address).or_insert(next);
        self.content.update(&number.to_le_bytes());
        // SAFETY: the queue is a plain table.
        unsafe {
            if number == next {
                ffi::lua_rawseti(self.state, QUEUE, number.into());
            } else {
                ffi::lua_pop(self.state, 1);
            }
        }
    }

    /// Takes in what the object on top leads to.
    unsafe fn object(&mut self) {
        self.content.update(b"object");
        // SAFETY: as promised by the caller.
        unsafe {
            match ffi::lua_type(self.state, -1) {
                ffi::LUA_TTABLE => self.table(),
                ffi::LUA_TFUNCTION => self.function(),
                _ => self.known = false,
            }
        }
    }

    unsafe fn table(&mut self) {
        let state = self.state;
        // SAFETY: the table is not changed meanwhile, and no metamethod is called.
        unsafe {
            self.tables.insert(ffi::lua_topointer(state, -1).addr());
            if ffi::lua_getmetatable(state, -1) != 0 {
                self.value();
            }
            ffi::lua_pushnil(state);
            while self.known && ffi::lua_next(state, -2) != 0 {
                self.value();
                ffi::lua_pushvalue(state, -1);
                self.value();
            }
        }
    }

    unsafe fn function(&mut self) {
        let state = self.state;
        // SAFETY: the record is written before it is read; "S" needs no active function but the one on top.
        unsafe {
            let mut record = std::mem::zeroed::<ffi::lua_Debug>();
            ffi::lua_pushvalue(state, -1);
            ffi::lua_getinfo(state, c">S".as_ptr(), &mut record);
            self.content.update(&record.linedefined.to_le_bytes());
            self.content.update(&record.lastlinedefined.to_le_bytes());
            for number in 1.. {
                if ffi::lua_getupvalue(state, -1, number).is_null() {
                    break;
                }
                self.value();
            }
            ffi::lua_getfenv(state, -1);
            self.value();
        }
    }
}
