"""Small Lua programs: every function a script is offered, with arguments that fit or don't, and replies of every shape.

Whole numbers stay small where a function takes as much memory or time as it is told. What prints an address is masked.
"""

import re

from families import scripted
from families.words import text

PROTOCOLS = (2, 3)
NUMBERS = ["0", "1", "-1", "2", "3", "7", "-2.5", "0.1", "1e15", "1e16", "123456789012345678", "2^31", "2^32", "-2^31", "2^53", "2^63", "-2^63", "2^64",
           "1/0", "-1/0", "0/0", "1e308*10", "5e-324", "0x10", "3.9999999", "1e100", "-0", "255", "256", "65536", "100"]
STRINGS = ["''", "'a'", "'hello world'", "'10'", "' 0x1F '", "'1e2'", "'inf'", "'-0'", "'a\\0b'", "'\\255\\254'", "'\\r\\n'", "'%d'", "'a,b,,c'", "'{\"a\":[1,2,{}]}'",
           "'[1,2.5,null,true,\"\\\\u00e9\"]'", "'[1e400,-1]'", "'[]'", "'{}'", "'{\"a\":'", "'\\147\\1\\2\\3'", "'\\129\\161a\\1'", "'\\200'", "string.rep('x',40)", "'key'", "KEYS[1]", "ARGV[1]", "ARGV[2]"]
TABLES = ["{}", "{1,2,3}", "{'a','b'}", "{1,nil,3}", "{a=1}", "{a={b={c=1}}}", "{1,a=2}", "{[3]='x'}", "{[1.5]='x'}", "{ok='fine'}", "{err='ERR bad'}", "{err='bad'}", "{ok=1}",
          "{err=5}", "{double=3.5}", "{double='x'}", "{map={a=1}}", "{set={x=true}}", "{map=1}", "{big_number='123'}", "{big_number=5}", "{verbatim_string={format='txt',string='hi'}}",
          "{verbatim_string={format='longer',string='hi'}}", "{verbatim_string={}}", "{{},{{}}}", "{1,{2,{3,{4}}}}", "{true,false,true}", "{3.99,-0.5}", "{'1',2,'x'}", "setmetatable({},{__index=function(t,k) return k end})",
          "setmetatable({},{__tostring=function() return 'me' end})", "{err='A B\\r\\nC'}", "{ok='a\\nb'}", "{redis.NIL}", "{[0]=1}", "{[-1]=1,2}", "{[1]=1,[2]=2,[4]=4}", "cjson.decode('[null,{}]')"]
OTHERS = ["nil", "true", "false", "print", "function() return 1 end", "redis.call", "cjson.null", "_G", "coroutine.create(function() end)"]
PATTERNS = ["'%a+'", "'(%w)(%w)'", "'.-l'", "'^h'", "'o$'", "'[a-f]+'", "'%b()'", "'%f[%w]%w+'", "'()'", "'%'", "'['", "'[^%s]*'", "'%1'", "'(a*(.)%w(%s*))'", "','", "'%d'", "''", "'(('", "'%g'", "'\\0'", "'[%a-z]'"]
FORMATS = ["%d", "%5d", "%-5d|", "%05d", "%+d", "%i", "%u", "%x", "%X", "%#x", "%o", "%c", "%e", "%.3e", "%f", "%.0f", "%10.2f", "%g", "%.14g", "%.17g", "%G", "%a", "%q", "%s", "%10s", "%-10s|", "%.2s", "%5.1s",
           "%%", "%", "%z", "%ll", "%099d", "%100d", "%.100f", "%1.2.3d", "% d", "%#o", "%s%s", "%*d", "%5%"]
STRUCTS = ["'>I2'", "'<I4'", "'b'", "'B'", "'h'", "'H'", "'l'", "'L'", "'i'", "'I'", "'I3'", "'I8'", "'i8'", "'>i4'", "'f'", "'d'", "'s'", "'c0'", "'c3'", "'Bc0'", "'!4bi'", "'xb'", "'bb'", "'z'", "'I33'", "'!3'", "' '", "'='", "'>hB'", "'c'"]


def sequence(rng, version, length):
    return [(0, argv) for argv in (step(rng) for _ in range(length // 2)) if not (version == "7.0" and DEADLY.search(" ".join(argv)))]


# Ends a real 7.0, and ours too.
DEADLY = re.compile(r"error\(\{(ok='x')?\}\)")


def step(rng):
    luck = rng.random()
    if luck < 0.08:
        return scripted.sequence(rng, "", 1)[0][1]
    program = rng.choice([single, single, block, block, block, raw])(rng)
    if rng.random() < 0.12:
        program = "redis.setresp(%s) " % rng.choice(["3", "3", "3", "2", "4", "'3'"]) + program
    if rng.random() < 0.05:
        program = rng.choice(["#!lua\n", "#!lua flags=no-writes\n", "#!lua flags=allow-oom,allow-stale\n", "#!lua name=x\n", "#!lua flags=bad\n", "#!python\n", "#!lua flags=\n", "#!\n"]) + program
    return [rng.choice(["EVAL", "EVAL", "EVAL", "EVAL_RO"]), program, "1", "k", text(rng), rng.choice(["1", "x", "2.5", "abc"])]


def single(rng):
    return "return " + expression(rng, 3)


def raw(rng):
    """What does not compile or breaks the sandbox's rules."""
    return rng.choice(
        ["return", "return return", "x = 1", "return x", "local x <const> = 1", "goto a", "return 1 2", "for i=1,3 do end return i", "return ...", "return {...}", "print('x')", "return _G.x", "_G.x = 1",
         "setmetatable(_G, nil)", "return getmetatable('').__index == string", "getmetatable('').__index = nil", "string.x = 1", "redis.call = nil", "return #_G", "cjson.x = 1", "return loadstring('return 1')()",
         "return loadstring('return x', 'name')", "return load(function() return nil end)", "return dofile", "return loadfile('x')", "return require", "return os.time()", "return type(os.clock())", "return os.exit", "return io",
         "return debug", "return newproxy", "return getfenv", "return setfenv(1, {})", "return collectgarbage('count') > 0", "return gcinfo and 1", "return module", "error()", "error(nil)", "error('x', 0)", "error('x', 2)", "error({})",
         "error({err='MY err'})", "error({err='MY err', source='x'})", "error({ok='x'})", "error(5)", "error(true)", "return error", "local t = {} t.t = t return t", "local function f() return f() end return 1",
         "local function f() return 1 + f() end return f()", "return string.rep('x', 100) .. {}", "return nil .. 'x'", "return {} < {}", "return 1 < 'x'", "return #5", "return (nil)()", "return ('x'):nosuch()", "local a; a.b = 1",
         "return -{}", "return {} + 1", "return 'x' + 1", "return '10' + 5", "return 2^0.5", "return 5 % -3", "return -5 % 3", "return 5 % 0", "return 1 == '1'", "return not nil", "return 'a' .. 1 .. 2.5", "return 10 == 10.0",
         "if redis.call('set', 'a', 1) then return redis.call('get', 'a') end", "redis.log(redis.LOG_NOTICE, 'x') return 1", "redis.log('x')", "redis.log(1)", "redis.log(9, 'x')", "return redis.sha1hex()", "return redis.sha1hex('')",
         "return redis.REDIS_VERSION_NUM > 0", "return redis.REPL_ALL", "return redis.set_repl(redis.REPL_ALL)", "return redis.set_repl(9)", "return redis.set_repl()", "return redis.replicate_commands()", "return redis.breakpoint()",
         "return redis.debug(1)", "return redis.register_function('x', function() end)", "return redis.acl_check_cmd('get', 'x')", "return redis.acl_check_cmd('nosuch')", "return redis.acl_check_cmd()", "return redis.nosuch", "return redis.nosuch()",
         "return {redis.LOG_DEBUG, redis.LOG_WARNING}", "return redis.setresp()", "return redis.setresp(2, 3)", "return tostring(redis.setresp(3))", "return math.pi", "return math.huge", "return -math.huge", "return math.nosuch(1)",
         "return 1, 2", "return nil, 2", "return {1, 2, nil, 4}", "return {nil, 1}", "return KEYS", "return ARGV", "return {KEYS, ARGV}", "KEYS[1] = 'other' return KEYS", "return #KEYS", "KEYS = nil return 1", "local KEYS = 5 return KEYS"])


def block(rng):
    """Some steps, whose outcomes are returned together, whatever fails."""
    parts = ["local r = {}"]
    for index in range(rng.randint(1, 3)):
        parts.append(statement(rng, index))
    parts.append(rng.choice(["return r", "return r", "return {#r, r}", "return r[#r]", "return tostring(r[1])", "return cjson.encode(r)", "return redis.error_reply(tostring(r[1]))", "return type(r[1])"]))
    return "\n".join(parts)


def statement(rng, index):
    e = lambda depth=2: expression(rng, depth)
    return rng.choice(
        ["r[#r+1] = " + e(), "r[#r+1] = {pcall(function() return %s end)}" % e(), "local ok, err = pcall(function() return %s end) r[#r+1] = type(err) == 'table' and (err.err or 'table') or tostring(err)" % e(),
         "local ok, err = pcall(error, %s) r[#r+1] = err" % e(1), "r[#r+1] = {xpcall(function() return %s end, function(e) return 'handled ' .. tostring(e) end)}" % e(),
         "for k, v in pairs(%s) do r[#r+1] = tostring(k) .. '=' .. type(v) end" % rng.choice(TABLES), "for i, v in ipairs(%s) do r[#r+1] = v end" % rng.choice(TABLES),
         "for w in string.gmatch(%s, %s) do r[#r+1] = w if #r > 20 then break end end" % (rng.choice(STRINGS), rng.choice(PATTERNS)),
         "local t = %s table.sort(t) for _, v in ipairs(t) do r[#r+1] = tostring(v) end" % rng.choice(TABLES),
         "local t = {3,1,2,5,4} table.sort(t, function(a, b) return %s end) r[#r+1] = table.concat(t, ',')" % rng.choice(["a < b", "a > b", "true", "nil", "a.x", "error('no')"]),
         "local c = coroutine.wrap(function(...) local x = coroutine.yield(...) return x, %s end) r[#r+1] = {c(%s)} r[#r+1] = {c(%s)}" % (e(1), e(1), e(1)),
         "local c = coroutine.create(function(a) %s return a end) r[#r+1] = {coroutine.resume(c, 1)} r[#r+1] = coroutine.status(c) r[#r+1] = {coroutine.resume(c)}" % rng.choice(["coroutine.yield(a)", "error('in')", "redis.call('nosuch')", "redis.call('set', 'k', 1)"]),
         "local t = setmetatable({}, {%s = function(a, b) return %s end}) r[#r+1] = tostring(%s)" % with_metamethod(rng, e(1))])


def with_metamethod(rng, result):
    name, use = rng.choice([("__index", "t.x"), ("__call", "t(1)"), ("__add", "t + 1"), ("__concat", "t .. 'x'"), ("__eq", "t == t"), ("__lt", "t < t"), ("__unm", "-t"), ("__len", "#t"), ("__add", "t .. 1")])
    return name, result, use


def expression(rng, depth):
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(rng.choice([NUMBERS, NUMBERS, STRINGS, STRINGS, TABLES, TABLES, OTHERS]))
    a = lambda: expression(rng, depth - 1)
    n, s, t = (lambda pool=pool: rng.choice(pool) if rng.random() < 0.85 else a() for pool in (NUMBERS, STRINGS, TABLES))
    small = lambda: rng.choice(["0", "1", "2", "3", "-1", "-2", "10", "2.7", "nil", "'2'"])
    return rng.choice([calls, strings, tables, numbers, conversions, libraries])(rng, a, n, s, t, small)


def calls(rng, a, n, s, t, small):
    verb = rng.choice(["call", "pcall", "pcall"])
    return rng.choice(
        ["redis.%s('get', 'k')" % verb, "redis.%s('set', 'k', %s)" % (verb, a()), "redis.%s('incrby', 'k', %s)" % (verb, n()), "redis.%s('hset', 'h', 'f', %s)" % (verb, s()), "redis.%s('hgetall', 'h')" % verb,
         "redis.%s('lpush', 'l', %s, %s)" % (verb, s(), n()), "redis.%s('lrange', 'l', 0, %s)" % (verb, n()), "redis.%s('zadd', 'z', %s, %s)" % (verb, n(), s()), "redis.%s('zrange', 'z', 0, -1, 'withscores')" % verb,
         "redis.%s('zscore', 'z', %s)" % (verb, s()), "redis.%s('sadd', 's', 1, 2)" % verb, "redis.%s('smembers', 's')" % verb, "redis.%s(%s)" % (verb, a()), "redis.%s(%s, %s)" % (verb, s(), a()), "redis.%s()" % verb,
         "redis.%s('get')" % verb, "redis.%s('config', 'get', 'maxmemory-samples')" % verb, "redis.%s('debug', 'protocol', %s)" % (verb, rng.choice(["'map'", "'set'", "'double'", "'null'", "'true'", "'bignum'", "'verbatim'", "'attrib'", "'push'"])),
         "redis.%s('subscribe', 'x')" % verb, "redis.%s('multi')" % verb, "redis.%s('ping')" % verb, "redis.%s('echo', %s)" % (verb, a()), "redis.%s('exists', 'k').nosuch" % verb, "redis.%s('eval', 'return 1', 0)" % verb,
         "redis.%s('incr', 'h')" % verb, "redis.%s('del', 'k', 'h', 'l', 'z')" % verb, "redis.%s('type', 'k').ok" % verb, "redis.error_reply(%s)" % s(), "redis.status_reply(%s)" % s(), "redis.error_reply(%s)" % a(), "redis.status_reply(%s, 1)" % a(),
         "redis.sha1hex(%s)" % s(), "redis.%s('select', %s)" % (verb, small()), "redis.%s('expire', 'k', %s)" % (verb, n()), "redis.%s('xadd', 'x', '%d-1', 'f', %s)" % (verb, rng.randint(1, 9), s()), "redis.%s('xrange', 'x', '-', '+')" % verb])


def strings(rng, a, n, s, t, small):
    return rng.choice(
        ["string.format(%r, %s)" % (rng.choice(FORMATS), a()), "string.format(%r, %s)" % (rng.choice(FORMATS), n()), "string.format(%r, %s, %s)" % (rng.choice(FORMATS) + " " + rng.choice(FORMATS), n(), s()), "string.format(%s)" % a(),
         "string.gsub(%s, %s, %s)" % (s(), rng.choice(PATTERNS), rng.choice(["'<%0>'", "'%1'", "'%2'", "'%'", "'%x'", "{hello='X'}", "function(x) return x and #x end", "function() return {} end", "5", "nil"])), "string.gsub(%s, %s, '-', %s)" % (s(), rng.choice(PATTERNS), small()),
         "string.find(%s, %s, %s)" % (s(), rng.choice(PATTERNS), small()), "string.find(%s, %s, %s, true)" % (s(), s(), small()), "string.match(%s, %s)" % (s(), rng.choice(PATTERNS)), "string.sub(%s, %s, %s)" % (s(), small(), small()), "string.byte(%s, %s, %s)" % (s(), small(), small()),
         "string.char(%s, %s)" % (n(), small()), "string.rep(%s, %s)" % (s(), small()), "string.reverse(%s)" % s(), "string.upper(%s)" % s(), "string.len(%s)" % a(), "(%s):lower()" % s(), "#%s" % s(), "%s .. %s" % (a(), a()), "string.dump(print)", "string.dump(%s)" % a()])


def tables(rng, a, n, s, t, small):
    """A second result in table.insert would make the first one a position, up to which it goes in steps of one: for -2^31, minutes."""
    return rng.choice(
        ["table.concat(%s, %s)" % (t(), s()), "table.concat(%s, ',', %s, %s)" % (t(), small(), small()), "table.getn(%s)" % t(), "table.maxn(%s)" % t(), "#%s" % t(), "unpack(%s)" % t(), "{unpack(%s, %s, %s)}" % (t(), small(), small()), "select(%s, %s, %s)" % (small(), a(), a()),
         "select('#', %s, nil)" % a(), "next(%s)" % t(), "next(%s, %s)" % (t(), a()), "rawget(%s, %s)" % (t(), a()), "rawequal(%s, %s)" % (a(), a()), "type(%s)" % a(), "(%s)[%s]" % (t(), a()), "table.insert(%s, (%s))" % (t(), a()), "table.insert(%s, %s, %s)" % (t(), small(), a()),
         "table.remove(%s, %s)" % (t(), small()), "table.foreach(%s, function(k, v) return k end)" % t(), "{%s, %s}" % (a(), a()), "{%s, x = %s}" % (a(), a()), "setmetatable(%s, %s)" % (t(), t()), "getmetatable(%s)" % a(), "table.setn({}, 1)", "rawset(%s, %s, 1)" % (t(), a()), "ipairs(%s)" % a()])


def numbers(rng, a, n, s, t, small):
    function = rng.choice(["floor", "ceil", "abs", "sqrt", "exp", "log10", "sin", "cos", "tan", "modf", "frexp", "deg", "rad", "asin", "sinh"])
    return rng.choice(
        ["math.%s(%s)" % (function, n()), "math.%s(%s)" % (function, a()), "math.%s(%s, %s)" % (rng.choice(["max", "min", "fmod", "pow", "ldexp", "atan2", "mod"]), n(), n()), "math.random(%s, %s)" % (small(), n()), "math.random(%s)" % n(), "tostring(math.random())", "%s %s %s" % (n(), rng.choice("+-*/%^"), n()),
         "bit.%s(%s, %s)" % (rng.choice(["band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "tohex"]), n(), n()), "bit.%s(%s)" % (rng.choice(["bnot", "tobit", "bswap", "tohex"]), a()), "bit.tohex(%s, %s)" % (n(), small()), "%s %s %s" % (n(), rng.choice(["<", "<=", "==", "~=", "and", "or"]), a()), "math.randomseed(%s)" % n()])


def conversions(rng, a, n, s, t, small):
    return rng.choice(["tostring(%s)" % n(), "tostring(%s)" % a(), "tonumber(%s)" % s(), "tonumber(%s)" % a(), "tonumber(%s, %s)" % (s(), rng.choice(["2", "8", "10", "16", "36", "37", "1"])), "tostring()", "tonumber()", "assert(%s, %s)" % (a(), rng.choice(STRINGS)), "{%s}" % n(), "%s" % n(), "-(%s)" % a(), "not %s" % a()])


def libraries(rng, a, n, s, t, small):
    return rng.choice(
        ["cjson.encode(%s)" % a(), "cjson.encode(%s)" % t(), "cjson.decode(%s)" % s(), "cjson.encode(cjson.decode(%s))" % s(), "cjson.%s(%s)" % (rng.choice(["encode_max_depth", "decode_max_depth", "encode_number_precision", "encode_keep_buffer", "decode_invalid_numbers", "encode_invalid_numbers"]), small()),
         "cjson.encode_sparse_array(%s, %s, %s)" % (rng.choice(["true", "false"]), small(), small()), "cjson.encode_invalid_numbers(%s)" % rng.choice(["'null'", "true", "'x'"]), "cmsgpack.pack(%s)" % a(), "cmsgpack.pack(%s, %s)" % (n(), t()), "cmsgpack.unpack(%s)" % s(), "{cmsgpack.unpack(cmsgpack.pack(%s))}" % a(),
         "{cmsgpack.unpack_one(%s, %s)}" % (s(), small()), "{cmsgpack.unpack_limit(cmsgpack.pack(1,2,3), %s, %s)}" % (small(), small()), "struct.pack(%s, %s, %s)" % (rng.choice(STRUCTS), n(), s()), "struct.pack(%s, %s)" % (rng.choice(STRUCTS), a()), "{struct.unpack(%s, %s)}" % (rng.choice(STRUCTS), s()),
         "{struct.unpack(%s, struct.pack(%s, %s))}" % (rng.choice(STRUCTS), rng.choice(STRUCTS), n()), "struct.size(%s)" % rng.choice(STRUCTS), "{struct.unpack(%s, %s, %s)}" % (rng.choice(STRUCTS), s(), small())])


def _addresses(raw):
    return re.sub(rb"0x[0-9a-f]{6,}", b"0xADDRESS", raw)


def _masked(raw):
    """Where a function or table lies in memory, which has a length of its own."""
    if b": 0x" not in raw and b"\\u" not in raw:
        return raw
    return re.sub(rb"\$\d+\r\n(?=[^\r]*0xADDRESS)", b"$N\r\n", _addresses(raw))


SLACK = {"*": _masked}
