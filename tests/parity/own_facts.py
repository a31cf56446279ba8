"""What real servers are asked for tests/facts/own.jsonl: `record_facts.py --write` records their answers.

Each fact is as in facts.jsonl: setup, then argv, whose reply counts; server "cluster" is one node that has all slots.
"""

ERROR_STATS = ["INFO", "errorstats"]
RESET = ["CONFIG", "RESETSTAT"]
COMMAND_STATS = [
    "EVAL",
    "local o={} for l in redis.call('info','commandstats'):gmatch('[^\\r\\n]+') do local n,c,r,f=l:match("
    "'cmdstat_([^:]+):calls=(%d+),.-rejected_calls=(%d+),failed_calls=(%d+)') if n and n~='info' and n~='script|flush' and n~='flushall' "
    "and n~='function|flush' and n~='config|resetstat' then o[#o+1]=n..' calls='..c..' rejected='..r..' failed='..f end end table.sort(o) return o",
    "0",
]
# Errors that a script raises, returns, or gets from the commands it calls.
SCRIPTS = [
    "return {redis.pcall('nosuch'), redis.pcall('nosuch'), redis.error_reply('x')}",
    "return {map={a=redis.pcall('get')}}",
    'return redis.call()',
    "local ok,e=pcall(redis.call,'get') error(e)",
    "local r=redis.pcall('get') r.ignore_error_stats_update=nil return r",
    "local r=redis.pcall('get') r.ignore_error_stats_update=1 return r",
    "return redis.pcall('eval','return 1',0)",
    "return redis.pcall('config','nosuch',0)",
    "return redis.pcall('object')",
    'local a = {} a[1]=a return a',
    "return {err='x'}",
    "return {err='-x'}",
    "return {err=''}",
    "return {err=' x'}",
    "return {err='a:b#c x'}",
    "return {err='aaaaaaaaaabbbbbbbbbbcccccccccc x'}",
    "return {err='aaaaaaaaaabbbbbbbbbbccccccccccd x'}",
    "error({err='a\\nb'})",
    "error('x')",
    "return {{err='CODE inner'},{ok='in'},3}",
    "return xpcall(function() redis.call('get') end, function(e) return tostring(e.ignore_error_stats_update) end)",
    "return {xpcall(function() redis.call('get') end, function(e) return tostring(e.ignore_error_stats_update) end)}",
]
SLOT_STATS = """
slotsrange 0
slotsrange 0 2
slotsrange a 2
slotsrange 0 99999
slotsrange 3 2
slotsrange 0 1 2
orderby key-count limit 2
orderby key-count limit 3 asc
orderby key-count desc limit 3
orderby key-count limit 0
orderby key-count limit x
orderby key-count desc asc
orderby key-count limit 3 limit 4
orderby key-count limit
orderby key-count bar
orderby cpu-usec
orderby x
foo bar
"""
# What recurses: in the conversion of replies, in the libraries, in the compiler and in calls. Each answers and the server lives.
DEEP = [
    'local t={} for i=1,7900 do t={t} end return #cjson.encode(t)',
    'local t={} for i=1,1001 do t={t} end return #cjson.encode(t)',
    'cjson.encode_max_depth(1e6) local t={} for i=1,20000 do t={t} end return #cjson.encode(t)',
    'cjson.encode_max_depth(1e6) local t={} t[1]=t return #cjson.encode(t)',
    'cjson.encode_max_depth(1e6) local t={} t.x=t return #cjson.encode(t)',
    "cjson.decode_max_depth(1e6) return type(cjson.decode(('['):rep(20000)..(']'):rep(20000)))",
    "cjson.decode_max_depth(1e6) return type(cjson.decode(('['):rep(2000)..(']'):rep(2000)))",
    'cjson.decode_max_depth(1e6) return type(cjson.decode((\'{"a":\'):rep(2000)..\'1\'..(\'}\'):rep(2000)))',
    'cjson.decode_max_depth(1e6) return type(cjson.decode((\'{"a":\'):rep(20000)..\'1\'..(\'}\'):rep(20000)))',
    "return type(cjson.decode(('['):rep(1001)..(']'):rep(1001)))",
    'local t={} t[1]=t return #cmsgpack.pack(t)',
    'local t={} for i=1,100 do t={t} end return #cmsgpack.pack(t)',
    'local t={} for i=1,10 do t={t} end return #cmsgpack.pack(t)',
    'local t={} t.x=t return #cmsgpack.pack(t)',
    "return type(cmsgpack.unpack(('\\145'):rep(9000)))",
    "return type(cmsgpack.unpack(('\\129\\1'):rep(9000)))",
    "return type(cmsgpack.unpack(('\\145'):rep(7000)..'\\1'))",
    "return type(cmsgpack.unpack(('\\129\\1'):rep(3000)..'\\1'))",
    "return loadstring('return '..('('):rep(300)..'1'..(')'):rep(300)) == nil",
    "return select(2,loadstring('return '..('('):rep(300)..'1'..(')'):rep(300)))",
    "return select(2,loadstring('return '..('('):rep(100000)..'1'..(')'):rep(100000)))",
    "return select(2,loadstring('return '..('{'):rep(100000)..'1'..('}'):rep(100000)))",
    "return select(2,loadstring(('do '):rep(100000)..('end '):rep(100000)))",
    "return select(2,loadstring('return '..('-'):rep(1)..(' - '):rep(100000)..'1'))",
    "return select(2,loadstring('return '..('not '):rep(100000)..'1'))",
    "return select(2,loadstring('return '..('1 ..'):rep(100000)..'1'))",
    "return select(2,loadstring('return '..('1 ..'):rep(190)..'1'))",
    "return select(2,loadstring('return '..('2^'):rep(100000)..'1'))",
    "return select(2,loadstring('return '..('function() return '):rep(1000)..'1'..(' end'):rep(1000)))",
    "return select(2,loadstring('if x then '..('elseif x then '):rep(10000)..' end'))",
    "return select(2,loadstring(('f('):rep(1000)..(')'):rep(1000)))",
    "return select(2,loadstring('x'..('.x'):rep(100000)..'=1'))",
    "return select(2,loadstring('x'..(',x'):rep(100000)..'=1'))",
    "return select(2,loadstring('x'..(',x'):rep(300)..'=1'))",
    "return select(2,loadstring('local x'..(',x'):rep(300)..'=1'))",
    "return select(2,loadstring('return [' .. ('='):rep(100000)..'[x]'))",
    "return ('x'):rep(33):find(('(x)'):rep(33))",
    "return (('a?'):rep(300000)):len(), ('x'):find(('a?'):rep(300000)..'x')",
    "return ('x'):find(('('):rep(100))",
    "return ('x'):find('['..('%'):rep(10001))",
    'local function f() return pcall(f) end return {f()}',
    'local function f() return (pcall(f)) end return tostring(f())',
    'local n=0 local function f() n=n+1 local ok,e=pcall(f) if not ok then return e end return e end return tostring(f())',
    'local function f() return coroutine.wrap(f)() end return tostring(select(2,pcall(f)))',
    'local function f() local ok,e=coroutine.resume(coroutine.create(f)) return e end return tostring(f())',
    'local t=setmetatable({},{}) getmetatable(t).__index=function(t,k) return t[k] end return tostring(select(2,pcall(function() return t.x end)))',
    'local t={} for i=1,200 do t=setmetatable({},{__index=t}) end return tostring(select(2,pcall(function() return t.x end)))',
    'local t={} setmetatable(t,{__index=t}) return tostring(select(2,pcall(function() return t.x end)))',
    'local t={} setmetatable(t,{__tostring=function(t) return tostring(t) end}) return tostring(select(2,pcall(tostring,t)))',
    'local t={} setmetatable(t,{__concat=function(a,b) return a..b end}) return tostring(select(2,pcall(function() return t..t end)))',
    'local t={} setmetatable(t,{__call=function(s) return s() end}) return tostring(select(2,pcall(function() return t() end)))',
    'local t={} setmetatable(t,{__eq=function(a,b) return a==b end}) local u=setmetatable({},getmetatable(t)) return tostring(select(2,pcall(function() return t==u end)))',
    'local function f(a,b) table.sort({3,2,1},f) return false end return tostring(select(2,pcall(f)))',
    "local function f() return (('x'):gsub('x',f)) end return select(2,pcall(f))",
    'local function f() return 1+f() end return select(2,pcall(f))',
    "local function f() return loadstring('return ...')(f()) end return select(2,pcall(f))",
    'local function f() return f() end local ok=1 return ok',
    "return select('#',unpack({},1,7000))",
    'return tostring(select(2,pcall(unpack,{},1,1e6)))',
    'return tostring(select(2,pcall(string.char,unpack({},1,7000))))',
    'local t={} for i=1,100000 do t={t} end t=nil collectgarbage() return 1',
    'local f=function() end for i=1,100000 do local g=f f=function() return g end end f=nil collectgarbage() return 1',
    "return #string.format(('%s'):rep(200),unpack((function() local t={} for i=1,200 do t[i]='x' end return t end)()))",
    "return tostring(select(2,pcall(struct.pack,('i4'):rep(10000),1)))",
    "return tostring(select(2,pcall(struct.unpack,('b'):rep(8500),('x'):rep(8500))))",
    "return select('#',struct.unpack(('b'):rep(7000),('x'):rep(7000)))",
    'return tostring(select(2,pcall(function() local t={} for i=1,8500 do t[i]=1 end return #cmsgpack.pack(unpack(t)) end)))',
    "return tostring(select(2,pcall(cmsgpack.unpack,('\\1'):rep(9000))))",
    "return tostring(select(2,pcall(error,setmetatable({},{__tostring=function() error('x') end}))))~=nil",
    "return {redis.pcall('set','a')}",
    "local a={} for i=1,100 do a=setmetatable({a},{__index=function() error('no') end}) end return a",
]
# Replies that nest, in both protocols.
DEEP_REPLIES = [
    'local a={} a[1]=a return a',
    'local a={} a.map={x=a} return a',
    'local a={} a.set={} a.set[a]=1 return a',
    'local a={} a.map={} a.map[a]=1 return a',
    'local a={} a[1]=a redis.setresp(3) return {1,a,2}',
    'local a={} a.map={x={a}} return {1,{2,a},3}',
    'local a={} for i=1,9000 do a={a} end return a',
    'local a={7} for i=1,100 do a={i,a,i} end return a',
    'local a={double=1} for i=1,100 do a={map={[i]=a}} end return a',
    "local a={ok='fine'} for i=1,100 do a={set={[a]=true}} end return a",
]
FACTS = []


def add(group, setup, argv, server="plain", cleanup=(), resp=2):
    number = 1 + sum(fact["group"] == group for fact in FACTS)
    fact = {"id": "own-%s-%03d" % (group, number), "group": group, "setup": setup, "argv": argv, "resp": resp}
    if server != "plain":
        fact["server"] = server
    if cleanup:
        fact["cleanup"] = list(cleanup)
    FACTS.append(fact)


for script in SCRIPTS:
    run = ["EVAL", script, "0"]
    add("stats", [RESET, run], ERROR_STATS)
    add("stats", [RESET, run], COMMAND_STATS)
    add("stats", [RESET], run)
for refused in (["OBJECT"], ["NOSUCH"], ["GET"], ["OBJECT", "nosuch"]):
    add("stats", [RESET, refused], ERROR_STATS)
    add("stats", [RESET, refused], COMMAND_STATS)
PLACE = ["GEOADD", "g", "13.361389", "38.115556", "P"]
add("geo", [PLACE], ["GEOPOS", "g", "P", "none"])
add("geo", [PLACE], ["EVAL", "redis.setresp(3) local r=redis.call('geopos','g','P') return {type(r[1][1]), r[1]}", "0"])
add("cluster", [], ["CLUSTER", "SLOT-STATS"])
add("cluster", [], ["CLUSTER", "SLOT-STATS", "SLOTSRANGE", "0", "2"])
for words in SLOT_STATS.split("\n")[1:-1]:
    keys = [["SET", "foo", "1"], ["SET", "bar", "1"], ["SET", "{bar}x", "1"]]
    add("cluster", keys, ["CLUSTER", "SLOT-STATS", *words.split()], server="cluster")

# Refused before it runs, since the shebang tells that it may write: counted as rejected, and not queued.
FEW = ["CONFIG", "SET", "min-replicas-to-write", "3"]
ENOUGH = ["CONFIG", "SET", "min-replicas-to-write", "0"]
for command in ("EVAL", "EVAL_RO"):
    run = [command, "#!lua\nreturn 1", "0"]
    add("noreplicas", [FEW, RESET, run], COMMAND_STATS, cleanup=[ENOUGH])
    add("noreplicas", [FEW, ["MULTI"], run, ["ECHO", "x"]], ["EXEC"], cleanup=[ENOUGH])
    add("cluster", [], [command, "#!lua flags=no-cluster\nreturn 1", "1", "foo"], server="cluster")
for mode in ("NO", "x"):
    add("script-cmd", [["MULTI"], ["SCRIPT", "DEBUG", mode], ["ECHO", "x"]], ["EXEC"])
for script in DEEP:
    add("deep", [], ["EVAL", script, "0"])
for script in DEEP_REPLIES:
    for resp in (2, 3):
        add("deep", [], ["EVAL", script, "0"], resp=resp)

# Found by mutate.py: facts in other words.
LIBRARY = "#!lua name=l\nredis.register_function{function_name='f', callback=function() return %s end, flags={%s}}"
for flags in ("'NO-WRITES'", "'No-Writes', 'ALLOW-OOM'", "'no-writes '"):
    add("mutated", [["FUNCTION", "LOAD", LIBRARY % (1, flags)]], ["FUNCTION", "LIST"])
SETTING = ["FUNCTION", "LOAD", LIBRARY % ("cjson.encode_max_depth(5)", "")]
READING = ["FUNCTION", "LOAD", LIBRARY % ("cjson.encode_max_depth()", "")]
add("mutated", [SETTING, ["FCALL", "f", "0"], ["FUNCTION", "FLUSH"], READING], ["FCALL", "f", "0"], cleanup=[["FUNCTION", "FLUSH"], ["FUNCTION", "LOAD", LIBRARY % ("cjson.encode_max_depth(1000)", "")], ["FCALL", "f", "0"]])
for level in ("'3'", "'x'", "' 2 '", "'0x1'", "{}", "3.9"):
    add("mutated", [], ["EVAL", "return redis.log(%s, 'y')" % level, "0"])
for count in ("1e3", "1.5", " 1", "+1", "-1", "0", "x", "", "2"):
    add("mutated", [], ["COMMAND", "GETKEYS", "EVAL_RO", "x", count, "a"])
for number in ("0/0", "-(0/0)", "tonumber('nan')", "math.abs(0/0)", "math.huge - math.huge"):
    add("mutated", [["EVAL", "return redis.call('set', 'x', %s)" % number, "0"]], ["GET", "x"])
    add("mutated", [], ["EVAL", "return {tostring(%s), {double=%s}}" % (number, number), "0"], resp=3)
BOTH = [["CONFIG", "SET", "min-replicas-to-write", "1"], ["CONFIG", "SET", "maxmemory", "1"]]
NEITHER = [["CONFIG", "SET", "min-replicas-to-write", "0"], ["CONFIG", "SET", "maxmemory", "0"]]
for command in (["EVAL", "return redis.call('set', 'k', 1)", "0"], ["EVAL", "#!lua\nreturn redis.call('set', 'k', 1)", "0"], ["SET", "k", "v"]):
    add("mutated", BOTH, command, cleanup=NEITHER)
add("mutated", [["DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1"]], ["EVAL", "return redis.call('shutdown', 'nosave')", "0"], cleanup=[["DEBUG", "SET-DISABLE-DENY-SCRIPTS", "0"]])
SERVER_WORDS = """
FAILOVER x
FAILOVER TO h x
FAILOVER TO h 1 TO h 1
FAILOVER TO h 1 FORCE
FAILOVER TO
FAILOVER TIMEOUT x
FAILOVER TIMEOUT 0
FAILOVER TIMEOUT 10 TIMEOUT 5
FAILOVER FORCE FORCE
FAILOVER ABORT
FAILOVER ABORT TIMEOUT 5
FAILOVER ABORT x
REPLCONF listening-port x
REPLCONF rdb-only x
REPLCONF rdb-filter-only x
REPLCONF rdb-filter-only functions
REPLCONF version 1.2.3
REPLCONF capa eof
SHUTDOWN ABORT NOSAVE
SHUTDOWN SAVE NOSAVE
SHUTDOWN NOW x
MIGRATE 127.0.0.1 1 k 0 100
MIGRATE 127.0.0.1 1 nokey 0 100
DEBUG PROTOCOL x
CLUSTER HELP
CLUSTER MEET a b
CLUSTER SLAVES x
"""
for words in SERVER_WORDS.split("\n")[1:-1]:
    add("mutated", [["SET", "k", "v"]], words.split())
for words in ("PSYNC ? -1", "SYNC", "FAILOVER", "FAILOVER ABORT"):
    add("mutated", [["REPLICAOF", "127.0.0.1", "1"]], words.split(), cleanup=[["REPLICAOF", "NO", "ONE"]])
CLUSTER_WORDS = """
MEET 127.0.0.1
MEET a b
MEET a 1
MEET 127.0.0.1 0
MEET 127.0.0.1 99999
MEET 127.0.0.1 60000
MEET 127.0.0.1 1 x
MEET 127.0.0.1 1 70000
MEET 127.0.0.1 1 2 3
FORGET x
REPLICATE x
SLAVES x
REPLICAS x
FAILOVER
FAILOVER TAKEOVER
FAILOVER x
FAILOVER FORCE x
RESET x
RESET HARD SOFT
RESET
SET-CONFIG-EPOCH x
SET-CONFIG-EPOCH -1
SET-CONFIG-EPOCH 0
SET-CONFIG-EPOCH 99999999999999999999
COUNT-FAILURE-REPORTS x
FLUSHSLOTS
"""
for words in CLUSTER_WORDS.split("\n")[1:-1]:
    add("cluster", [["SET", "k", "v"]], ["CLUSTER", *words.split()], server="cluster")

# A transaction that sets a limit goes by what was found before it, which a limit of earlier may have left.
GROWING = ["FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('g', function() return redis.call('set', 'n', 1) end)"]
QUEUED = [["MULTI"], ["CONFIG", "SET", "maxmemory", "1"], ["FCALL", "g", "0"], ["SET", "a", "b"], ["GET", "a"]]
QUEUED += [["EVAL", head + "return redis.call('set', 'z', 1)", "0"] for head in ("", "#!lua\n", "#!lua flags=allow-oom\n")]
for before in ([["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]], [["CONFIG", "SET", "maxmemory", "100000000"], ["CONFIG", "SET", "maxmemory", "0"]]):
    add("mutated", [GROWING, *before, *QUEUED], ["EXEC"], cleanup=[["CONFIG", "SET", "maxmemory", "0"]])
