"""DEBUG's parts that the playground offers, MONITOR, MODULE, SLOWLOG, LATENCY and MEMORY with two clients."""

import re

CONNECTIONS = 3
PROTOCOLS = (2, 3)
# From 7.2 on servers say nothing of a refused AUTH while earlier replies wait to be written.
APART = {"AUTH"}
SETUP = [["SLOWLOG", "RESET"], ["CONFIG", "SET", "slowlog-log-slower-than", "100000000"]]


def sequence(rng, version, length):
    monitors = [(2, ["MONITOR"])] if rng.random() < 0.5 else []
    steps = [(rng.choice([0, 0, 1]) if rng.random() < 0.93 else 2, command(rng)) for _ in range(length)]
    # As in acl: a refused AUTH inside EXEC gets no element from 7.2 on. Who watches his own refused AUTH by MONITOR gets the line
    # before or after the refusal.
    without = rng.choice(["AUTH", "MULTI"])
    own = without == "MULTI" and (monitors or any("MONITOR" in argv for _, argv in steps))
    return monitors + [(who, argv) for who, argv in steps if without not in argv and not (own and "AUTH" in argv)]


def command(rng):
    key = rng.choice(["k", "l", "key:1", "nosuch"])
    return rng.choice(
        [["SET", key, rng.choice(["hello", "12", "x\x01\"'\\\n"])], ["GET", key], ["RPUSH", "l", "a", "b"], ["DEL", key],
         ["MULTI"], ["EXEC"], ["DISCARD"], ["SELECT", rng.choice(["0", "1"])], ["MONITOR"], ["RESET"], ["AUTH", "a", "b"],
         ["HELLO", "2", "AUTH", "a", "b"], ["ACL", "WHOAMI"], ["CONFIG", "GET", "hz"], ["ECHO", "x y"], ["GET"],
         ["EVAL", "redis.call('set', KEYS[1], 1) return redis.call('get', KEYS[1])", "1", key], ["EVAL_RO", "return redis.call('get', KEYS[1])", "1", "k"],
         ["PUBLISH", "c", "m"], ["DEBUG", "OBJECT", key], ["DEBUG", "OBJECT"], ["DEBUG", "ERROR", "MY text"], ["DEBUG", "CHANGE-REPL-ID"],
         ["DEBUG", "LOG", "x"], ["DEBUG", "POPULATE", rng.choice(["2", "x", "-1"])], ["DEBUG", "POPULATE", "2", "key", "12"],
         ["DEBUG", "RELOAD", "FOO"], ["DEBUG", "FOO"], ["DEBUG", "SET-ACTIVE-EXPIRE", "1"], ["DEBUG", "SLEEP", "0"],
         ["MODULE", rng.choice(["LIST", "FOO"])], ["MODULE", "LOAD", "x"], ["MODULE", "UNLOAD", "x"],
         ["SLOWLOG", rng.choice(["LEN", "RESET", "GET", "FOO"])], ["SLOWLOG", "GET", rng.choice(["-1", "-2", "x", "0"])],
         ["LATENCY", rng.choice(["LATEST", "RESET", "FOO"])], ["LATENCY", "HISTORY", "x"], ["LATENCY", "GRAPH", "x"], ["LATENCY", "HISTOGRAM", "x"],
         ["MEMORY", rng.choice(["PURGE", "FOO"])], ["MEMORY", "USAGE", key, *rng.choice([[], ["SAMPLES", rng.choice(["0", "x", "-1"])], ["FOO"]])],
         ["BGSAVE", "FOO"], ["INFO", "nosuch"], ["EXISTS", key], ["LASTSAVE", "x"]])


def _moments(raw):
    # The round trips that end a step are commands too.
    raw = re.sub(rb"\+\d{10}\.\d{6} \[0 [\d.:]+\] \"PING\"\r\n", b"", raw)
    raw = re.sub(rb"\d{10}\.\d{6} \[(\d+) [\d.:]+\]", rb"T [\1 ADDR]", raw)
    raw = re.sub(rb"\d{10}\.\d{6} \[", rb"T [", raw)
    raw = re.sub(rb"at:0x[0-9a-f]+ ", b"", raw)
    # The real 8.2.3 comes with a module.
    raw = re.sub(rb"[*%]1\r\n[*%]\d\r\n\$4\r\nname\r\n\$9\r\nvectorset.*?args\r\n\*0\r\n", b"*0\r\n", raw, flags=re.S)
    # How a list lies in its nodes is not told.
    raw = re.sub(rb" ql_nodes:[^\r]*", b"", raw)
    return re.sub(rb"lru:\d+ lru_seconds_idle:\d+", b"", raw)


SLACK = {"*": _moments}
