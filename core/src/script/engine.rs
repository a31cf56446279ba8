//! One Lua VM, reused for every script: compiled scripts are cached by their SHA1, and what a script can
//! change outside of the VM (the keyspace, the random generator) belongs to the server's state.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;

use indexmap::IndexMap;
use mlua::ffi::{self, lua_State};
use mlua::{Lua, LuaOptions, StdLib};

use crate::Bytes;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Sha1;

use super::convert::{is_counted, one_line, to_reply, until_nul};
use super::describe::describe;
use super::functions::{LoadedLibrary, Registration};
use super::lib::stack::Stack;
use super::lib::{self, Hooks, LibState, Libraries};
use super::raise::{push_bytes, string_at};
use super::reach::{self, Sealed};
use super::run::{Budget, Caller, ErrorSent, Run, RunEnd, charge, cpu_micros, start_counting};
use super::sandbox::{self, Environments};
use super::trace::{self, Tracer};

/// Compiled scripts kept in the VM; the source stays in the server's script cache all the same.
const COMPILED_MAX: usize = 1_000;
/// Libraries kept in the VM, one that has been through different things as often as it is needed so. Others are loaded again.
const LIBRARIES_MAX: usize = 64;

/// A Lua VM with Redis's sandbox for one server version.
pub struct Engine(Box<UnsafeCell<Inner>>);

/// What C functions reach from inside Lua. Its address is fixed: closures carry it as an upvalue.
pub(crate) struct Inner {
    pub version: Version,
    pub lib: Libraries,
    /// Set while a program runs; the lifetime is that of the `run` call on the stack.
    current: Cell<*mut Run<'static>>,
    /// Set while FUNCTION LOAD runs a library.
    pub registration: Option<Registration>,
    state: *mut lua_State,
    environments: Environments,
    compiled: IndexMap<Sha1, c_int>,
    /// By what their Lua values have been through.
    libraries: IndexMap<Sha1, LoadedLibrary>,
    sealed: Sealed,
    error_handler: c_int,
    // Last, so that it is dropped last.
    _lua: Lua,
}

/// The registry key of the engine's address: the address of this byte.
static REGISTRY_KEY: u8 = 0;

impl Inner {
    /// The engine behind a C closure of the API.
    ///
    /// # Safety
    /// The running function is a closure whose first upvalue is the engine, and no other `&mut Inner` is in use.
    pub(crate) unsafe fn from_upvalue<'a>(state: *mut lua_State) -> &'a mut Inner {
        // SAFETY: as promised by the caller; the engine outlives its VM.
        unsafe { &mut *ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast() }
    }

    /// The engine behind a hook, which has no upvalues.
    ///
    /// # Safety
    /// As for [`Inner::from_upvalue`], with one free stack slot.
    pub(crate) unsafe fn from_registry<'a>(state: *mut lua_State) -> &'a mut Inner {
        // SAFETY: `Engine::new` has put the address there.
        unsafe {
            ffi::lua_pushlightuserdata(state, (&raw const REGISTRY_KEY).cast_mut().cast());
            ffi::lua_rawget(state, ffi::LUA_REGISTRYINDEX);
            let inner = ffi::lua_touserdata(state, -1).cast::<Inner>();
            ffi::lua_pop(state, 1);
            &mut *inner
        }
    }

    /// The run under way, if any.
    pub(crate) fn run<'a>(&self) -> Option<&'a mut Run<'static>> {
        // SAFETY: set only while `Engine::execute` is on the stack below, which owns the run and does not
        // touch it meanwhile; the one C function that runs now is the only user.
        unsafe { self.current.get().as_mut() }
    }
}

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub enum Program<'a> {
    /// `body` is the source without a shebang line, but with its line break so that lines count on.
    Script { sha: &'a Sha1, body: &'a [u8] },
    /// Of the library whose Lua values have been through this; it must be in the VM, see [`Engine::has_library`].
    Function { memory: &'a Sha1, name: &'a Bytes },
}

impl Engine {
    pub fn new(version: Version) -> Self {
        // These options leave Lua's own pcall and xpcall alone.
        let options = LuaOptions::new().catch_rust_panics(true);
        let lua = Lua::new_with(StdLib::TABLE | StdLib::STRING | StdLib::MATH, options)
            .expect("these libraries exist in Lua 5.1");
        let mut state = std::ptr::null_mut();
        // SAFETY: only takes the pointer of the main thread, which lives as long as `lua`.
        unsafe { lua.exec_raw::<()>((), |main| state = main) }.expect("nothing in there raises");
        let cell = Box::new(UnsafeCell::new(Inner {
            version,
            lib: Libraries::new(Hooks { charge, cpu_micros }),
            current: Cell::new(std::ptr::null_mut()),
            registration: None,
            state,
            environments: Environments::default(),
            compiled: IndexMap::new(),
            libraries: IndexMap::new(),
            sealed: Sealed::new(),
            error_handler: ffi::LUA_NOREF,
            _lua: lua,
        }));
        let inner = cell.get();
        // SAFETY: a fresh state of our own; building the sandbox raises nothing, since no script has run yet.
        unsafe {
            ffi::lua_pushlightuserdata(state, (&raw const REGISTRY_KEY).cast_mut().cast());
            ffi::lua_pushlightuserdata(state, inner.cast());
            ffi::lua_rawset(state, ffi::LUA_REGISTRYINDEX);
            lib::error_handler::push(Stack::new(state), &raw mut (*inner).lib);
            (*inner).error_handler = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
            (*inner).environments = sandbox::build(state, inner);
            (*inner).sealed = reach::sealed(state, (*inner).environments.references());
        }
        Self(cell)
    }

    pub fn version(&self) -> Version {
        // SAFETY: no `&mut Inner` is alive outside of the calls below.
        unsafe { (*self.0.get()).version }
    }

    /// Whether no script can change what the next one finds. 7.2 to 8.0 leave the metatable of strings open.
    pub fn is_sealed(&self) -> bool {
        !(Version::V7_2..=Version::V8_0).contains(&self.version())
    }

    /// Checks that a script compiles and keeps it; the error is Lua's message.
    pub fn compile(&self, sha: &Sha1, body: &[u8]) -> Result<(), Vec<u8>> {
        // SAFETY: one call at a time: `Engine` is neither Sync nor re-entered from scripts.
        let inner = unsafe { &mut *self.0.get() };
        inner.compiled(sha, body).map(|_| ())
    }

    /// Forgets what the VM has compiled and loaded; the next use loads it again.
    pub fn forget(&self) {
        // SAFETY: as in `compile`; the references are ours.
        unsafe {
            let inner = &mut *self.0.get();
            for (_, reference) in inner.compiled.drain(..) {
                ffi::luaL_unref(inner.state, ffi::LUA_REGISTRYINDEX, reference);
            }
            for (_, library) in inner.libraries.drain(..) {
                library.release(inner.state);
            }
            inner.lib.kept.interpreter = u64::MAX;
        }
    }

    /// Runs a program to its end or to the end of its budget. `lib_state` is what Lua's libraries remember; it is
    /// changed only by a run that finishes. `trace` looks into the run and may end it.
    #[allow(
        clippy::too_many_arguments,
        reason = "each is one aspect of a run, and all callers have them apart"
    )]
    pub fn run(
        &self,
        program: Program<'_>,
        keys: &[Bytes],
        args: &[Bytes],
        budget: Budget,
        lib_state: &mut LibState,
        caller: &mut dyn Caller,
        trace: Option<&mut Tracer>,
    ) -> RunEnd {
        // SAFETY: as in `compile`. The run's lifetime is cut out by the pointer, which is cleared before it ends.
        unsafe {
            let inner = self.0.get();
            self.begin(lib_state);
            let mut run = Run { trace, ..Run::new(caller, budget) };
            let end = Inner::execute(inner, program, keys, args, &mut run);
            if matches!(end, RunEnd::Finished { .. }) {
                *lib_state = (*inner).lib.kept.clone();
            }
            end
        }
    }

    /// Takes over what Lua's libraries remember.
    fn begin(&self, lib_state: &LibState) {
        // SAFETY: as in `compile`.
        unsafe {
            let inner = self.0.get();
            if (*inner).lib.kept.interpreter != lib_state.interpreter && !self.is_sealed() {
                sandbox::mend_strings(Stack::new((*inner).state));
            }
            (*inner).lib.begin((*inner).state, lib_state.clone());
        }
    }

    /// Runs a library's top level and gives what it registered; the error is the text behind
    /// `ERR Error registering functions: ` or the compiler's. The library is then known as `memory`.
    pub fn load_library(
        &self,
        memory: &Sha1,
        body: &[u8],
        lib_state: &LibState,
        caller: &mut dyn Caller,
    ) -> Result<Registration, Vec<u8>> {
        self.begin(lib_state);
        // SAFETY: as in `run`.
        unsafe { super::functions::load(self.0.get(), memory, body, caller) }
    }

    /// Whether a library is in the VM whose Lua values have been through exactly this.
    pub fn has_library(&self, memory: &Sha1) -> bool {
        // SAFETY: as in `compile`.
        unsafe { (*self.0.get()).libraries.contains_key(memory) }
    }

    /// Looks whether the library's Lua values have changed since it was asked last: then a fingerprint of them.
    pub fn library_changed(&self, memory: &Sha1) -> Option<u64> {
        // SAFETY: as in `compile`.
        unsafe {
            let Inner { libraries, state, sealed, .. } = &mut *self.0.get();
            libraries.get_mut(memory)?.look(*state, sealed)
        }
    }

    /// What a library's Lua values have been through has become more.
    pub fn library_moved(&self, memory: &Sha1, to: Sha1) {
        // SAFETY: as in `compile`.
        unsafe {
            let inner = &mut *self.0.get();
            if let Some(library) = inner.libraries.shift_remove(memory) {
                inner.keep_library(to, library);
            }
        }
    }

    /// A library has been through what cannot be told.
    pub fn forget_library(&self, memory: &Sha1) {
        // SAFETY: as in `compile`.
        unsafe {
            let inner = &mut *self.0.get();
            if let Some(library) = inner.libraries.shift_remove(memory) {
                library.release(inner.state);
            }
        }
    }
}

impl Inner {
    pub(crate) fn state(&self) -> *mut lua_State {
        self.state
    }

    pub(crate) fn environments(&self) -> &Environments {
        &self.environments
    }

    pub(crate) fn sealed(&self) -> &Sealed {
        &self.sealed
    }

    /// Keeps a library as the newest one.
    pub(crate) fn keep_library(&mut self, memory: Sha1, library: LoadedLibrary) {
        let like = self.libraries.shift_remove(&memory);
        let many = self.libraries.len() >= LIBRARIES_MAX;
        let oldest =
            if many { self.libraries.shift_remove_index(0).map(|(_, library)| library) } else { None };
        for old in like.iter().chain(&oldest) {
            // SAFETY: the VM is idle, the library is its own.
            unsafe { old.release(self.state) };
        }
        self.libraries.insert(memory, library);
    }

    /// The registry reference of a compiled script.
    fn compiled(&mut self, sha: &Sha1, body: &[u8]) -> Result<c_int, Vec<u8>> {
        if let Some(reference) = self.compiled.get(sha) {
            return Ok(*reference);
        }
        // SAFETY: compiles and stores; the VM is idle.
        let reference = unsafe {
            load_text(self.state, body, c"@user_script")?;
            self.environments.use_for_script(self.state);
            ffi::luaL_ref(self.state, ffi::LUA_REGISTRYINDEX)
        };
        if self.compiled.len() >= COMPILED_MAX {
            let oldest = self.compiled.shift_remove_index(0);
            if let Some((_, reference)) = oldest {
                // SAFETY: the reference was made by luaL_ref.
                unsafe { ffi::luaL_unref(self.state, ffi::LUA_REGISTRYINDEX, reference) };
            }
        }
        self.compiled.insert(*sha, reference);
        Ok(reference)
    }

    /// Calls the program with `run` as the current one.
    ///
    /// # Safety
    /// `inner` is valid, nothing else runs on it.
    pub(crate) unsafe fn execute(
        inner: *mut Inner,
        program: Program<'_>,
        keys: &[Bytes],
        args: &[Bytes],
        run: &mut Run<'_>,
    ) -> RunEnd {
        // SAFETY: the stack is balanced by settop; Lua code runs only inside lua_pcall.
        unsafe {
            let state = (*inner).state;
            let name = match prepare(inner, program, keys, args) {
                Ok(name) => name,
                Err(line) => {
                    let errors = vec![ErrorSent { line: line.clone(), counted: false }];
                    return RunEnd::Finished { reply: Reply::Error(line.into()), instructions: 0, errors };
                }
            };
            let argument_count = if matches!(program, Program::Function { .. }) { 2 } else { 0 };
            let status = protected(inner, argument_count, run);
            let mut errors = Vec::new();
            if run.stopped.is_none() {
                trace::returned(state, run);
            }
            let reply = match (run.stopped, status) {
                (Some(why), _) => {
                    ffi::lua_settop(state, 0);
                    return RunEnd::Stopped { why, instructions: run.instructions };
                }
                (None, 0) => {
                    if run.caller.wants_value() {
                        run.caller.returned(describe(state), run.protocol);
                    }
                    to_reply(state, run.protocol, &mut errors)
                }
                (None, _) => match failure(state, &name, (*inner).version) {
                    Some(error) => {
                        errors.push(error.clone());
                        Reply::Error(error.line.into())
                    }
                    None => {
                        ffi::lua_settop(state, 0);
                        return RunEnd::Crashed;
                    }
                },
            };
            ffi::lua_settop(state, 0);
            RunEnd::Finished { reply, instructions: run.instructions, errors }
        }
    }
}

/// Calls what stands on the stack with the error handler below it and the run as the current one.
///
/// # Safety
/// `inner` is valid; the function and its arguments are the only values on the stack.
pub(crate) unsafe fn protected(inner: *mut Inner, argument_count: c_int, run: &mut Run<'_>) -> c_int {
    // SAFETY: the pointer to the run is cleared before `run` can go away.
    unsafe {
        let state = (*inner).state;
        ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, (*inner).error_handler.into());
        ffi::lua_insert(state, 1);
        (*inner).current.set((&raw mut *run).cast());
        if trace::is_tracing(run) {
            trace::begin(state, run);
        } else {
            start_counting(state);
        }
        let status = ffi::lua_pcall(state, argument_count, 1, 1);
        (*inner).current.set(std::ptr::null_mut());
        ffi::lua_sethook(state, None, 0, 0);
        status
    }
}

/// Puts function and arguments on the stack; gives the name that error tails show.
unsafe fn prepare(
    inner: *mut Inner,
    program: Program<'_>,
    keys: &[Bytes],
    args: &[Bytes],
) -> Result<Vec<u8>, Vec<u8>> {
    // SAFETY: the VM is idle and its stack empty.
    unsafe {
        let state = (*inner).state;
        match program {
            Program::Script { sha, body } => {
                let reference = (*inner)
                    .compiled(sha, body)
                    .map_err(|text| [b"ERR Error compiling script (new function): ", &*text].concat())?;
                (*inner).environments.enter_script(state);
                (*inner).environments.set_keys_and_argv(state, keys, args);
                ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, reference.into());
                Ok(sha.as_bytes().to_vec())
            }
            Program::Function { memory, name } => {
                (*inner).environments.enter_library(state);
                let loaded = (*inner).libraries.get(memory);
                let reference = loaded
                    .and_then(|loaded| loaded.callback(name))
                    .ok_or_else(|| b"ERR Function not found".to_vec())?;
                ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, reference.into());
                push_list(state, keys);
                push_list(state, args);
                Ok(name.to_vec())
            }
        }
    }
}

/// A source without its shebang line; the line break stays, so that lines are counted on.
pub fn body_of(source: &[u8]) -> &[u8] {
    if !source.starts_with(b"#!") {
        return source;
    }
    let end = source.iter().position(|&byte| byte == b'\n').unwrap_or(source.len());
    &source[end..]
}

/// Compiles text and leaves the function on the stack. Bytecode is refused by the lexer, since the text that
/// Lua sees never begins with its signature.
///
/// # Safety
/// `state` is valid.
pub(crate) unsafe fn load_text(
    state: *mut lua_State,
    body: &[u8],
    chunk_name: &std::ffi::CStr,
) -> Result<(), Vec<u8>> {
    let guarded;
    let body = if body.first() == Some(&ffi::LUA_SIGNATURE[0]) {
        guarded = [b" ", body].concat();
        &guarded
    } else {
        body
    };
    // SAFETY: luaL_loadbuffer catches its own errors and leaves one value.
    unsafe {
        let status = ffi::luaL_loadbuffer(state, body.as_ptr().cast(), body.len(), chunk_name.as_ptr());
        if status == 0 {
            return Ok(());
        }
        let text = string_at(state, -1).unwrap_or_default().to_vec();
        ffi::lua_pop(state, 1);
        Err(one_line(text))
    }
}

/// Pushes a table with these strings.
///
/// # Safety
/// `state` is valid with three free slots.
pub(crate) unsafe fn push_list(state: *mut lua_State, texts: &[Bytes]) {
    // SAFETY: as promised by the caller.
    unsafe {
        ffi::lua_createtable(state, texts.len() as c_int, 0);
        for (index, text) in texts.iter().enumerate() {
            push_bytes(state, text);
            ffi::lua_rawseti(state, -2, index as ffi::lua_Integer + 1);
        }
    }
}

/// The error line for a script that failed: the error's text, and where it was raised. None for what ends the
/// servers before 8.0: a table without a text.
unsafe fn failure(state: *mut lua_State, name: &[u8], version: Version) -> Option<ErrorSent> {
    // 7.4.1 and 8.2.3 were seen to send line breaks in raised errors as they are, which breaks the protocol.
    let raw_breaks = (Version::V7_2..Version::V8_4).contains(&version);
    let sent = |line: Vec<u8>, counted| {
        let line = if raw_breaks { line } else { one_line(line) };
        Some(ErrorSent { line, counted })
    };
    // SAFETY: the error value is on top; fields are read raw and copied.
    unsafe {
        if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
            let text = until_nul(string_at(state, -1).unwrap_or(b"unknown error").to_vec());
            let line = [b"ERR ", &text[..], b" script: ", name].concat();
            return sent(line, false);
        }
        let text = match table_text(state, "err") {
            Some(text) => until_nul(text),
            None if version < Version::V8_0 => return None,
            None => b"ERR unknown error".to_vec(),
        };
        let mut line = [&text[..], b" script: ", name].concat();
        if let (Some(source), Some(at)) = (table_text(state, "source"), table_text(state, "line")) {
            line.extend_from_slice(&[b", on ", &source[..], b":", &at[..], b"."].concat());
        }
        sent(line, is_counted(state))
    }
}

/// A string or number field of the table on top as text.
unsafe fn table_text(state: *mut lua_State, name: &str) -> Option<Vec<u8>> {
    // SAFETY: pushes one value and pops it.
    unsafe {
        push_bytes(state, name.as_bytes());
        ffi::lua_rawget(state, -2);
        if ffi::lua_type(state, -1) == ffi::LUA_TNUMBER {
            ffi::lua_tolstring(state, -1, std::ptr::null_mut());
        }
        let text = string_at(state, -1).map(<[u8]>::to_vec);
        ffi::lua_pop(state, 1);
        text
    }
}
