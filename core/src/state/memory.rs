//! What the Lua values of a function library have been through: its load, and the calls that have changed them.
//!
//! Lua values live in the VM, which all copies of a state share, and can't be copied. So a state has the way to them: whoever
//! runs a function first brings the VM to where the state is. Calls that change nothing, as nearly all do, are no part of it.

use std::fmt;
use std::rc::Rc;

use imbl::Vector;

use crate::script::LibState;

use super::{Functions, Plan, Program, RunStart, Sha1};

/// Calls that are remembered at most, a few KB each. From then on there is no way back to this library's values.
const CALLS_MAX: usize = 20_000;

/// Two that are equal have been through the same.
#[derive(Clone)]
pub struct Memory {
    name: Sha1,
    loaded: Sha1,
    /// What Lua's own libraries had in mind at the load.
    lua: LibState,
    calls: Vector<Rc<Remembered>>,
    is_whole: bool,
}

/// A call that has changed the library's Lua values.
#[derive(Debug)]
pub struct Remembered {
    /// Its state knows no memories.
    pub start: RunStart,
    /// The memory's name from then on.
    pub after: Sha1,
}

impl Memory {
    pub fn fresh(source: &[u8], lua: &LibState) -> Self {
        let loaded = Sha1::of(&[source, format!("{lua:?}").as_bytes()].concat());
        Self { name: loaded, loaded, lua: lua.clone(), calls: Vector::new(), is_whole: true }
    }

    /// The same for all that have been through the same.
    pub fn name(&self) -> &Sha1 {
        &self.name
    }

    pub fn is_fresh(&self) -> bool {
        self.name == self.loaded
    }

    /// The name that it had when the library had just been loaded, and how Lua's own libraries were then.
    pub fn loaded(&self) -> (Sha1, &LibState) {
        (self.loaded, &self.lua)
    }

    /// The calls, oldest first; None where there were too many to remember.
    pub fn calls(&self) -> Option<&Vector<Rc<Remembered>>> {
        self.is_whole.then_some(&self.calls)
    }

    /// One more call. `reach`: a fingerprint of the Lua values behind it.
    fn add(&mut self, mut start: RunStart, reach: u64) {
        let Plan { program, keys, args, .. } = &start.plan;
        let call = format!("{} {reach} {keys:?} {args:?} {:?}", self.name.as_str(), program.name());
        self.name = Sha1::of(call.as_bytes());
        if self.calls.len() == CALLS_MAX {
            (self.calls, self.is_whole) = (Vector::new(), false);
        }
        if self.is_whole {
            start.state.functions = start.state.functions.reloaded();
            start.plan.program = start.plan.program.reloaded();
            self.calls.push_back(Rc::new(Remembered { start, after: self.name }));
        }
    }
}

impl Functions {
    /// The library that a function of this plan was called of has other Lua values from now on. Gives the new name of its
    /// memory; None where it is not there any more.
    pub fn remember(&mut self, start: RunStart, reach: u64) -> Option<Sha1> {
        let Program::Function { library, .. } = &start.plan.program else { return None };
        let name = library.name.clone();
        let library = self.library_mut(&name)?;
        let mut memory = library.memory.clone();
        memory.add(start, reach);
        let name = memory.name;
        library.memory = memory;
        Some(name)
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}
