//! `table`: concat and sort with their work counted, insert and remove likewise, and foreach, which must see through
//! read-only tables. The others are Lua's own.

use std::ffi::c_int;

use mlua::ffi::{LUA_TFUNCTION, LUA_TTABLE};

use super::Libraries;
use super::readonly;
use super::scratch::Scratch;
use super::stack::{Stack, decimal, function};

/// Turns of a loop between two charges.
const CHARGE_TURNS: u64 = 256;
/// What moving so many elements, or comparing two, costs in instructions.
const MOVES_PER_INSTRUCTION: u64 = 4;
const COMPARISON_INSTRUCTIONS: u64 = 1;

/// Replaces functions of the `table` table on top.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_light(libraries.cast());
    lua.set_function(c"concat", function(concat), 1);
    lua.set_function(c"foreach", function(foreach), 1);
    lua.set_function(c"insert", function(insert), 1);
    lua.set_function(c"remove", function(remove), 1);
    lua.set_function(c"sort", function(sort), 1);
    lua.pop(1);
}

fn concat(lua: Stack) -> c_int {
    let separator = if lua.is_none_or_nil(2) { b"" } else { lua.check_bytes(2) };
    lua.check_kind(1, LUA_TTABLE);
    let first = lua.optional_int(3, 1);
    let last = if lua.is_none_or_nil(4) { lua.array_length(1) } else { lua.check_int(4) };
    let mut out = Scratch::new(lua, 256);
    for index in first..=last {
        lua.raw_get_at(1, index);
        if !lua.is_string(-1) {
            let kind = lua.type_name(-1);
            let index = decimal(index);
            lua.raise(&[
                b"invalid value (",
                kind,
                b") at index ",
                index.as_slice(),
                b" in table for 'concat'",
            ]);
        }
        out.extend(lua.bytes(-1).unwrap_or_default());
        lua.pop(1);
        if index < last {
            out.extend(separator);
        }
    }
    lua.charge(u64::try_from(i64::from(last) - i64::from(first)).unwrap_or(0));
    out.push_string();
    1
}

fn foreach(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    lua.check_kind(2, LUA_TFUNCTION);
    readonly::resolve(lua, 1);
    lua.push_nil();
    while lua.next(1) {
        lua.copy(2);
        lua.copy(-3);
        lua.copy(-3);
        lua.call(2, 1);
        if !lua.is_nil(-1) {
            return 1;
        }
        lua.pop(2);
    }
    0
}

fn insert(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    let mut end = lua.array_length(1).wrapping_add(1);
    let position = match lua.top() {
        2 => end,
        3 => lua.check_int(2),
        _ => lua.raise(&[b"wrong number of arguments to 'insert'"]),
    };
    readonly::check_writable(lua, 1);
    end = end.max(position);
    let mut turns = Turns::new(lua, CHARGE_TURNS / MOVES_PER_INSTRUCTION);
    while end > position {
        turns.count();
        lua.raw_get_at(1, end - 1);
        lua.raw_set_at(1, end);
        end -= 1;
    }
    lua.raw_set_at(1, position);
    0
}

fn remove(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    let end = lua.array_length(1);
    let position = lua.optional_int(2, end);
    if !(1..=end).contains(&position) {
        return 0;
    }
    lua.raw_get_at(1, position);
    let mut turns = Turns::new(lua, CHARGE_TURNS / MOVES_PER_INSTRUCTION);
    for index in position..end {
        turns.count();
        lua.raw_get_at(1, index + 1);
        lua.raw_set_at(1, index);
    }
    lua.push_nil();
    lua.raw_set_at(1, end);
    1
}

fn sort(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    let length = lua.array_length(1);
    lua.check_reserve(40, c"");
    if !lua.is_none_or_nil(2) {
        lua.check_kind(2, LUA_TFUNCTION);
    }
    lua.set_top(2);
    let turns = Turns::new(lua, CHARGE_TURNS * COMPARISON_INSTRUCTIONS);
    Sorter { lua, by_function: !lua.is_nil(2), turns }.sort(1, length);
    0
}

/// Lua's own quicksort step by step: scripts can see in which order it compares, and where equal elements end up.
struct Sorter {
    lua: Stack,
    by_function: bool,
    turns: Turns,
}

impl Sorter {
    /// Sorts elements `low..=high`; recurses on the smaller part alone, so at most 31 deep.
    fn sort(&mut self, mut low: c_int, mut high: c_int) {
        let lua = self.lua;
        while low < high {
            self.order(low, high);
            if high - low == 1 {
                return;
            }
            // As C adds ints; an array cannot be long enough to overflow.
            let middle = (low + high) / 2;
            if !self.order(low, middle) {
                self.order(middle, high);
            }
            if high - low == 2 {
                return;
            }
            lua.raw_get_at(1, middle);
            lua.copy(-1);
            lua.raw_get_at(1, high - 1);
            self.store_two(middle, high - 1);
            let split = self.partition(low, high);
            let (small, rest) = if split - low < high - split {
                ((low, split - 1), (split + 1, high))
            } else {
                ((split + 1, high), (low, split - 1))
            };
            self.sort(small.0, small.1);
            (low, high) = rest;
        }
    }

    /// Exchanges the elements at two places if the latter is the smaller; answers whether it did.
    fn order(&mut self, first: c_int, second: c_int) -> bool {
        self.lua.raw_get_at(1, first);
        self.lua.raw_get_at(1, second);
        let wrong = self.less(-1, -2);
        if wrong {
            self.store_two(first, second);
        } else {
            self.lua.pop(2);
        }
        wrong
    }

    /// The pivot is on top of the stack and at `high - 1`; answers where it ends up. Takes it from the stack.
    fn partition(&mut self, low: c_int, high: c_int) -> c_int {
        let lua = self.lua;
        let (mut i, mut j) = (low, high - 1);
        loop {
            i += 1;
            lua.raw_get_at(1, i);
            while self.less(-1, -2) {
                self.check_order(i <= high);
                lua.pop(1);
                i += 1;
                lua.raw_get_at(1, i);
            }
            j -= 1;
            lua.raw_get_at(1, j);
            while self.less(-3, -1) {
                self.check_order(j >= low);
                lua.pop(1);
                j -= 1;
                lua.raw_get_at(1, j);
            }
            if j < i {
                break;
            }
            self.store_two(i, j);
        }
        lua.pop(3);
        lua.raw_get_at(1, high - 1);
        lua.raw_get_at(1, i);
        self.store_two(high - 1, i);
        i
    }

    fn check_order(&self, inside: bool) {
        if !inside {
            self.lua.raise(&[b"invalid order function for sorting"]);
        }
    }

    fn store_two(&self, first: c_int, second: c_int) {
        self.lua.raw_set_at(1, first);
        self.lua.raw_set_at(1, second);
    }

    fn less(&mut self, a: c_int, b: c_int) -> bool {
        let lua = self.lua;
        self.turns.count();
        if !self.by_function {
            return lua.less(a, b);
        }
        lua.copy(2);
        // Each push moves the others one down.
        lua.copy(a - 1);
        lua.copy(b - 2);
        lua.call(2, 1);
        let less = lua.truth(-1);
        lua.pop(1);
        less
    }
}

/// Counts turns of a loop and charges them in lots.
struct Turns {
    lua: Stack,
    count: u64,
    /// What [`CHARGE_TURNS`] cost.
    instructions: u64,
}

impl Turns {
    fn new(lua: Stack, instructions: u64) -> Self {
        Self { lua, count: 0, instructions }
    }

    fn count(&mut self) {
        self.count += 1;
        if self.count == CHARGE_TURNS {
            self.count = 0;
            self.lua.charge(self.instructions);
        }
    }
}
