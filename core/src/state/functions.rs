//! Function libraries as data: what FUNCTION LIST shows and what is loaded into Lua before a call.

use std::rc::Rc;

use imbl::OrdMap;

use crate::Bytes;

use super::Memory;

/// Flags of scripts and functions (`#!lua flags=…`, `flags={…}`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptFlags {
    pub no_writes: bool,
    pub allow_oom: bool,
    pub allow_stale: bool,
    pub no_cluster: bool,
    pub allow_cross_slot_keys: bool,
}

impl ScriptFlags {
    /// Every flag by its name, in the order in which FUNCTION LIST shows them.
    pub const NAMES: [&'static str; 5] =
        ["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"];

    /// Sets the flag of this name; false where there is none.
    pub fn set(&mut self, name: &[u8]) -> bool {
        let flag = match name {
            b"no-writes" => &mut self.no_writes,
            b"allow-oom" => &mut self.allow_oom,
            b"allow-stale" => &mut self.allow_stale,
            b"no-cluster" => &mut self.no_cluster,
            b"allow-cross-slot-keys" => &mut self.allow_cross_slot_keys,
            _ => return false,
        };
        *flag = true;
        true
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let set =
            [self.no_writes, self.allow_oom, self.allow_stale, self.no_cluster, self.allow_cross_slot_keys];
        Self::NAMES.into_iter().zip(set).filter_map(|(name, is_set)| is_set.then_some(name))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: Bytes,
    pub description: Option<Bytes>,
    pub flags: ScriptFlags,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    pub name: Bytes,
    pub source: Bytes,
    /// In the order of registration.
    pub functions: Vec<Function>,
    /// What its Lua values are by now.
    pub memory: Memory,
}

impl Library {
    /// The same library, just loaded.
    pub(super) fn reloaded(self: &Rc<Self>) -> Rc<Self> {
        if self.memory.is_fresh() {
            return Rc::clone(self);
        }
        let memory = Memory::fresh(&self.source, self.memory.loaded().1);
        Rc::new(Self { memory, ..Self::clone(self) })
    }
}

/// All libraries, by name. Function names are unique over all of them and compare without case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Functions {
    libraries: OrdMap<Bytes, Rc<Library>>,
    owners: OrdMap<Bytes, Bytes>,
}

impl Functions {
    pub fn library(&self, name: &Bytes) -> Option<&Rc<Library>> {
        self.libraries.get(name)
    }

    /// The library that registered the function, and its record there.
    pub fn find(&self, function: &[u8]) -> Option<(&Rc<Library>, &Function)> {
        let folded = Bytes::from(function.to_ascii_lowercase());
        let library = self.libraries.get(self.owners.get(&folded)?)?;
        let record = library.functions.iter().find(|known| known.name.eq_ignore_ascii_case(function))?;
        Some((library, record))
    }

    /// The library that already owns this function name.
    pub fn owner(&self, function: &[u8]) -> Option<&Bytes> {
        self.owners.get(&Bytes::from(function.to_ascii_lowercase()))
    }

    /// Puts a library in; one of the same name goes.
    pub fn insert(&mut self, library: Library) {
        self.remove(&library.name);
        for function in &library.functions {
            self.owners.insert(Bytes::from(function.name.to_ascii_lowercase()), library.name.clone());
        }
        self.libraries.insert(library.name.clone(), Rc::new(library));
    }

    pub fn remove(&mut self, name: &Bytes) -> Option<Rc<Library>> {
        let library = self.libraries.remove(name)?;
        for function in &library.functions {
            self.owners.remove(&Bytes::from(function.name.to_ascii_lowercase()));
        }
        Some(library)
    }

    pub fn flush(&mut self) {
        self.libraries = OrdMap::new();
        self.owners = OrdMap::new();
    }

    /// The same libraries, as a new process has them: nothing has been called yet.
    pub fn reloaded(&self) -> Self {
        let fresh = self.libraries.iter().map(|(name, library)| (name.clone(), library.reloaded()));
        Self { libraries: fresh.collect(), owners: self.owners.clone() }
    }

    pub(super) fn library_mut(&mut self, name: &Bytes) -> Option<&mut Library> {
        self.libraries.get_mut(name).map(Rc::make_mut)
    }

    pub fn libraries(&self) -> impl Iterator<Item = &Rc<Library>> {
        self.libraries.values()
    }

    pub fn library_count(&self) -> usize {
        self.libraries.len()
    }

    pub fn function_count(&self) -> usize {
        self.owners.len()
    }
}
