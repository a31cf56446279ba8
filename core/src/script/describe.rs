//! Takes a Lua value down as plain data, raw and within bounds: no metamethod runs and nothing is changed.

use std::cmp::Ordering;

use mlua::ffi::{self, lua_State};

use crate::lua::{LuaTable, LuaText, LuaValue};

use super::raise::string_at;

/// Values that are taken down of one, itself included.
const VALUES_MAX: usize = 200;
/// Bytes of a string.
const TEXT_MAX: usize = 200;
/// How deep tables may lie in tables.
const DEPTH_MAX: usize = 6;

/// The value on top of the stack; it stays there.
///
/// # Safety
/// `state` is valid and has a value on top.
pub(crate) unsafe fn describe(state: *mut lua_State) -> LuaValue {
    // SAFETY: as promised by the caller.
    unsafe { Describer { state, left: VALUES_MAX }.value(0) }
}

struct Describer {
    state: *mut lua_State,
    left: usize,
}

impl Describer {
    /// # Safety
    /// There is a value on top; it stays.
    unsafe fn value(&mut self, depth: usize) -> LuaValue {
        let state = self.state;
        self.left = self.left.saturating_sub(1);
        // SAFETY: reads the value on top without converting it in place.
        unsafe {
            match ffi::lua_type(state, -1) {
                ffi::LUA_TNIL => LuaValue::Nil,
                ffi::LUA_TBOOLEAN => LuaValue::Boolean(ffi::lua_toboolean(state, -1) != 0),
                ffi::LUA_TNUMBER => LuaValue::Number(ffi::lua_tonumber(state, -1)),
                ffi::LUA_TSTRING => {
                    let text = string_at(state, -1).unwrap_or_default();
                    let bytes = text[..text.len().min(TEXT_MAX)].to_vec();
                    LuaValue::String(LuaText { bytes, len: text.len() })
                }
                ffi::LUA_TTABLE => LuaValue::Table(self.table(depth)),
                ffi::LUA_TFUNCTION => LuaValue::Other("function"),
                ffi::LUA_TTHREAD => LuaValue::Other("thread"),
                _ => LuaValue::Other("userdata"),
            }
        }
    }

    /// # Safety
    /// There is a table on top; it stays.
    unsafe fn table(&mut self, depth: usize) -> LuaTable {
        let mut table = LuaTable::default();
        let state = self.state;
        // SAFETY: room for two values is made first; each pass leaves the stack as it found it.
        unsafe {
            if depth >= DEPTH_MAX || ffi::lua_checkstack(state, 4) == 0 {
                return LuaTable { cut: true, ..table };
            }
            for index in 1.. {
                ffi::lua_rawgeti(state, -1, index);
                let ends = ffi::lua_type(state, -1) == ffi::LUA_TNIL;
                if !ends && self.left > 0 {
                    table.items.push(self.value(depth + 1));
                }
                ffi::lua_pop(state, 1);
                if ends {
                    break;
                }
                if self.left == 0 {
                    return LuaTable { cut: true, ..table };
                }
            }
            ffi::lua_pushnil(state);
            while ffi::lua_next(state, -2) != 0 {
                let listed = table.items.len() as f64;
                let is_item = ffi::lua_type(state, -2) == ffi::LUA_TNUMBER
                    && is_index(ffi::lua_tonumber(state, -2), listed);
                if !is_item && self.left < 2 {
                    ffi::lua_pop(state, 2);
                    table.cut = true;
                    break;
                }
                if !is_item {
                    let value = self.value(depth + 1);
                    ffi::lua_pushvalue(state, -2);
                    let key = self.value(depth + 1);
                    ffi::lua_pop(state, 1);
                    table.rest.push((key, value));
                }
                ffi::lua_pop(state, 1);
            }
        }
        table.rest.sort_by(|(one, _), (other, _)| order(one, other));
        table
    }
}

fn is_index(number: f64, listed: f64) -> bool {
    number.fract() == 0.0 && (1.0..=listed).contains(&number)
}

fn order(one: &LuaValue, other: &LuaValue) -> Ordering {
    let rank = |value: &LuaValue| match value {
        LuaValue::Number(_) => 0,
        LuaValue::String(_) => 1,
        _ => 2,
    };
    match (one, other) {
        (LuaValue::Number(one), LuaValue::Number(other)) => one.total_cmp(other),
        (LuaValue::String(one), LuaValue::String(other)) => one.bytes.cmp(&other.bytes),
        _ => rank(one).cmp(&rank(other)),
    }
}

#[cfg(test)]
mod tests {
    use crate::Bytes;
    use crate::lua::{LuaTable, LuaValue};
    use crate::server::{ClientId, EventKind, Input, InputKind, Options, Server};

    /// What a script is told to have handed back.
    fn returned(script: &str) -> LuaValue {
        let mut server = Server::new(Options::default());
        let argv = ["EVAL", script, "0"].into_iter().map(Bytes::from).collect();
        let kind = InputKind::Command { client: ClientId(1), argv };
        let events = server.apply(Input { at: server.now(), kind });
        let values = events.into_iter().filter_map(|event| match event.kind {
            EventKind::ScriptReturned { value, .. } => Some(value),
            _ => None,
        });
        values.last().expect("the script ends without an error")
    }

    #[test]
    fn a_table_keeps_what_the_reply_will_drop() {
        let LuaValue::Table(table) = returned("return {1.5, 'a', nil, false, name = 'x'}") else {
            panic!("it is a table")
        };
        assert_eq!(table.items, [LuaValue::Number(1.5), LuaValue::text(b"a")]);
        assert_eq!(table.behind_hole().collect::<Vec<_>>(), [(4.0, &LuaValue::Boolean(false))]);
        assert_eq!(table.field("name"), Some(&LuaValue::text(b"x")));
        assert!(!table.cut);
    }

    #[test]
    fn what_is_large_is_cut() {
        let LuaValue::Table(LuaTable { items, cut, .. }) =
            returned("local t = {} for i = 1, 100000 do t[i] = i end return t")
        else {
            panic!("it is a table")
        };
        assert!(cut && items.len() < 1_000);
        let LuaValue::String(text) = returned("return string.rep('x', 1000000)") else {
            panic!("it is a string")
        };
        assert_eq!((text.len, text.bytes.len()), (1_000_000, super::TEXT_MAX));
    }
}
