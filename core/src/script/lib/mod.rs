//! The Lua libraries that Redis gives its scripts, as raw C functions: byte for byte what the real servers answer.
//!
//! They know nothing of keys, commands or clients. What outlives a script is a [`LibState`], part of the server's state;
//! every function reaches it through its first upvalue. mlua's own callbacks are not used: they wrap errors in
//! userdata, where scripts expect plain strings.
//!
//! An error is raised with a C `longjmp`, in WebAssembly with an exception: either way it skips Rust frames. `stack.rs`
//! says what follows from that for every function here. Recursion is bounded: nothing here recurses on the depth of
//! a script's data or patterns.

pub(super) mod base;
pub(super) mod bit;
pub(super) mod cjson;
pub(super) mod cmsgpack;
pub(super) mod error_handler;
pub(super) mod load;
mod matcher;
pub(super) mod os;
mod printf;
pub(super) mod random;
pub(super) mod readonly;
mod scratch;
pub(super) mod stack;
pub(super) mod strings;
pub(super) mod structs;
pub(super) mod tables;

use mlua::ffi::lua_State;

use printf::Text;

pub(super) use cjson::CjsonConfig;
use random::Random48;

/// What the libraries keep from one script to the next, as a real server does. It is part of the server's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LibState {
    /// Scripts and functions have a `cjson` each.
    pub(super) script_cjson: CjsonConfig,
    pub(super) function_cjson: CjsonConfig,
    random: Random48,
    collector: Collector,
    /// How many interpreters SCRIPT FLUSH has thrown away: a VM that has served another one is mended first.
    pub(super) interpreter: u64,
}

impl LibState {
    /// SCRIPT FLUSH throws the scripts' interpreter away, and all that was set in it.
    pub fn forget_script_settings(&mut self) {
        self.script_cjson = CjsonConfig::default();
        self.collector = Collector::default();
        self.interpreter += 1;
    }

    /// FUNCTION FLUSH throws that of the functions away.
    pub fn forget_function_settings(&mut self) {
        self.function_cjson = CjsonConfig::default();
    }
}

/// The garbage collector's settings as `collectgarbage` shows them. Real collection is the VM's own affair: its pace must
/// not show, or the same script would answer differently on another machine.
#[derive(Clone, Debug, PartialEq)]
struct Collector {
    pause: i32,
    step_multiplier: i32,
    /// Kibibytes that `collectgarbage('step')` has claimed of the current cycle.
    stepped: i64,
}

impl Default for Collector {
    fn default() -> Self {
        Self { pause: 200, step_multiplier: 200, stepped: 0 }
    }
}

/// What every library function reaches through its first upvalue. The engine owns it and keeps it in place as long as the
/// VM; it may exchange `kept` between runs.
#[derive(Debug)]
pub(super) struct Libraries {
    pub(super) kept: LibState,
    pub(super) hooks: Hooks,
    /// How many objects of the running script have shown an address; see `tostring`.
    addresses: u64,
}

impl Libraries {
    pub(super) fn new(hooks: Hooks) -> Self {
        Self { kept: LibState::default(), hooks, addresses: 0 }
    }

    /// Before a run: takes over what is kept, and forgets what must not show from the run before.
    ///
    /// # Safety
    /// `state` is the VM that these libraries belong to.
    pub(super) unsafe fn begin(&mut self, state: *mut lua_State, kept: LibState) {
        self.kept = kept;
        if self.addresses > 0 {
            self.addresses = 0;
            // SAFETY: promised by the caller.
            base::forget_addresses(unsafe { stack::Stack::new(state) });
        }
    }
}

/// What the libraries ask of the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    /// Told of work that Lua's count hook does not see, in VM instructions. Answers true to go on. Answering false, it has
    /// pushed the error value that ends the script; the library raises it at once. Must not raise by itself.
    pub(super) charge: unsafe fn(*mut lua_State, u64) -> bool,
    /// The processor time that the server has spent, in microseconds: `os.clock`.
    pub(super) cpu_micros: unsafe fn(*mut lua_State) -> u64,
}
