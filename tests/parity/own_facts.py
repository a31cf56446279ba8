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
FACTS = []


def add(group, setup, argv, server="plain", cleanup=()):
    number = 1 + sum(fact["group"] == group for fact in FACTS)
    fact = {"id": "own-%s-%03d" % (group, number), "group": group, "setup": setup, "argv": argv, "resp": 2}
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
