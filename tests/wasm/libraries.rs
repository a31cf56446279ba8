//! The Lua libraries on WebAssembly: errors that are exceptions there, and numbers wider than its 32-bit `long`.

use wasm_bindgen_test::wasm_bindgen_test;

use super::lua::check;

#[wasm_bindgen_test]
fn errors_of_the_libraries_are_caught() {
    check("select(2, pcall(cjson.decode, '{'))", "Expected object key string but found T_END at character 2");
    check("select(2, pcall(cmsgpack.unpack, '\\\\193'))", "Bad data format in input.");
    check("select(2, pcall(struct.pack, 'q'))", "bad argument #1 to '?' (invalid format option 'q')");
    check("select(2, pcall(string.rep, 'x', 1e9))", "resulting string too large");
    check("select(2, pcall(rawset, string, 'len', 1))", "Attempt to modify a readonly table");
    check("select(2, pcall(string.gsub, 'x', 'x', function() error('inside', 0) end))", "inside");
    check("select(2, pcall(table.sort, {2, 1}, function() error('order', 0) end))", "order");
}

#[wasm_bindgen_test]
fn integers_are_as_wide_as_a_server_s() {
    check("string.format('%d %x %u', 2^40, 2^40, -1)", "1099511627776 10000000000 18446744073709551615");
    check("string.format('%.0f', tonumber('ffffffffff', 16))", "1099511627775");
    check("string.format('%d', 2^63)", "-9223372036854775808");
    check("#struct.pack('L', 1) .. ' ' .. struct.unpack('>l', struct.pack('>l', -2^40))", "8 -1099511627776");
    check("cmsgpack.unpack(cmsgpack.pack(2^40))", "1099511627776");
    check("(function() math.randomseed(2^40) return math.random() end)()", "0.17082803611217");
}

#[wasm_bindgen_test]
fn deep_structures_do_not_exhaust_the_stack() {
    check(
        "cjson.encode_max_depth(1e5) and #cjson.encode((function() local t = {} for i = 1, 7900 do t = {t} end return t end)())",
        "15802",
    );
    check(
        "select(2, pcall(cmsgpack.unpack, ('\\\\145'):rep(9000)))",
        "stack overflow (in function mp_decode_to_lua_array)",
    );
    check("('x'):find(('a?'):rep(100000) .. 'x')", "1");
    check(
        "(function() local function f() return (('x'):gsub('x', f)) end return select(2, pcall(f)) end)()",
        "C stack overflow",
    );
}

#[wasm_bindgen_test]
fn globals_are_read_only() {
    check(
        "(function() local o = {} for k in pairs(bit) do o[#o + 1] = k end return table.concat(o, ' ') end)()",
        "band rshift bor bnot bswap bxor tobit ror lshift tohex rol arshift",
    );
    check(
        "select(2, pcall(function() string.x = 1 end))",
        "user_script:1: Attempt to modify a readonly table",
    );
}

#[wasm_bindgen_test]
fn no_function_with_any_odd_values_is_lost_over() {
    let lines = include_str!("../shared/odd_calls.lua").lines().filter(|line| !line.starts_with("--"));
    let script: Vec<&str> = lines.collect();
    check(&format!("(function() {} end)()", script.join(" ")), "tried");
}
