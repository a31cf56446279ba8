"""All stream commands on two streams and two groups: IDs of every form, trimming, claims, waiting readers, scripts, transactions."""

import re

CONNECTIONS = 3
PROTOCOLS = (2, 3)
SETUP = [["CONFIG", "SET", "stream-node-max-entries", "4"]]
KEYS = ["s", "s", "s", "t"]
GROUPS = ["g", "g", "g", "h", "nog"]
CONSUMERS = ["c1", "c2", "c3"]


def sequence(rng, version, length):
    start = [(0, ["XADD", "s", "%d-1" % n, "f", "v"]) for n in range(1, rng.randint(1, 8))]
    start += [(0, ["XGROUP", "CREATE", "s", "g", "0"])] if rng.random() < 0.8 else []
    waits = rng.random() < 0.3
    steps = []
    for _ in range(length):
        # Only the last connection waits, so that the others can go on; what it sends meanwhile stands in line.
        if waits and rng.random() < 0.15:
            steps.append((2, waiting(rng)))
        else:
            steps.append((rng.choice([0, 1]), command(rng, version)))
    return start + steps


def an_id(rng):
    return rng.choice(
        ["0", "1", "2-1", "3-1", "4-1", "5-1", "6", "7-1", "9-*", "10-1", "12-3", "20-1", "*", "0-0", "abc", "-", "+", "$", ">"]
    ) if rng.random() < 0.5 else "%d-%d" % (rng.randint(1, 9), rng.randint(0, 2))


def fixed_id(rng):
    return "%d-%d" % (rng.randint(1, 12), rng.choice([0, 1, 1, 1])) if rng.random() < 0.95 else "abc"


def bound(rng):
    return rng.choice(["-", "+", "(", "", ""]) + rng.choice(["", "3", "5-1", "1-1", "8"]) if rng.random() < 0.7 else rng.choice("-+")


def trimming(rng, version):
    strategy = rng.choice([["MAXLEN"], ["MINID"]]) + rng.choice([[], [], ["~"], ["="]])
    strategy.append(rng.choice(["0", "1", "3", "5", "4-1", "-1", "abc"]))
    strategy += rng.choice([[], [], [], ["LIMIT", rng.choice(["0", "1", "5", "-1"])]])
    extra = rng.choice([[], [], [], ["KEEPREF"], ["DELREF"], ["ACKED"]]) if version == "8.2" else []
    return rng.choice([strategy + extra, extra + strategy])


def waiting(rng):
    key = rng.choice(KEYS)
    return rng.choice(
        [["XREAD", "BLOCK", "0", "STREAMS", key, "$"], ["XREAD", "BLOCK", "0", "COUNT", "1", "STREAMS", "s", "t", "$", "$"],
         ["XREADGROUP", "GROUP", "g", "c3", "BLOCK", "0", "STREAMS", key, ">"],
         ["XREADGROUP", "GROUP", "g", "c3", "BLOCK", "0", "NOACK", "STREAMS", key, ">"]])


def command(rng, version):
    kinds = [adding, adding, reading, reading, grouping, pending, pending, claiming, deleting, looking, other]
    return [str(word) for word in rng.choice(kinds)(rng, version, rng.choice(KEYS), rng.choice(GROUPS), rng.choice(CONSUMERS))]


def adding(rng, version, key, group, consumer):
    pairs = ["f", "v"] * rng.randint(1, 2)
    options = rng.choice([[], [], [], ["NOMKSTREAM"], trimming(rng, version)])
    fresh = "%d-%d" % (rng.randint(8, 40), rng.randint(0, 3))
    return rng.choice(
        [["XADD", key, *options, rng.choice([fresh, fresh, an_id(rng).replace("*", "50-*") if rng.random() < 0.3 else fresh]), *pairs],
         ["XTRIM", key, *trimming(rng, version)],
         ["XSETID", key, rng.choice([fresh, "99-1", "abc"]),
          *rng.choice([[], ["ENTRIESADDED", rng.choice(["1", "20", "-1"])], ["MAXDELETEDID", fixed_id(rng)]])]])


def reading(rng, version, key, group, consumer):
    count = rng.choice([[], [], ["COUNT", rng.choice(["1", "2", "0", "-1", "x"])]])
    return rng.choice(
        [["XLEN", key], ["XRANGE", key, bound(rng), bound(rng), *count], ["XREVRANGE", key, bound(rng), bound(rng), *count],
         ["XREAD", *count, "STREAMS", key, an_id(rng).replace("*", "0")], ["XREAD", *count, "STREAMS", "s", "t", "0", an_id(rng).replace("*", "0")],
         ["XREADGROUP", "GROUP", group, consumer, *count, *rng.choice([[], [], ["NOACK"]]), "STREAMS", key, rng.choice([">", ">", ">", "0", an_id(rng).replace("*", "0")])],
         ["XREADGROUP", "GROUP", group, consumer, "STREAMS", "s", "t", ">", rng.choice([">", "0"])],
         ["XREAD", *rng.choice([["GROUP", "g", "c"], ["NOACK"], ["BLOCK", "x"], ["BLOCK", "-1"], ["FOO"]]), "STREAMS", key, "0"],
         ["XREADGROUP", *rng.choice([["GROUP", "g", "c1"], ["COUNT", "1", "NOACK"]]), "STREAMS", "s", "t", ">"]])


def grouping(rng, version, key, group, consumer):
    read = rng.choice([[], [], [], ["ENTRIESREAD", rng.choice(["0", "2", "-1", "-2", "x"])]])
    last = rng.choice(["0", "$", "3-1", "5", "-", "+", "abc"])
    return ["XGROUP"] + rng.choice(
        [["CREATE", key, group, last, *rng.choice([[], ["MKSTREAM"]]), *read], ["SETID", key, group, last, *read],
         ["CREATECONSUMER", key, group, consumer], ["DELCONSUMER", key, group, consumer],
         ["DESTROY", key, group] if rng.random() < 0.4 else ["CREATECONSUMER", key, group, consumer], ["FOO"]])


def pending(rng, version, key, group, consumer):
    return rng.choice(
        [["XACK", key, group, *[fixed_id(rng) for _ in range(rng.randint(1, 3))]], ["XPENDING", key, group],
         ["XPENDING", key, group, *rng.choice([[], ["IDLE", rng.choice(["0", "9999999", "x"])]]), bound(rng), bound(rng), rng.choice(["1", "10", "-1", "x"]),
          *rng.choice([[], [], [consumer]])], ["XPENDING", key, group, "-", "+", "10"]])


def claiming(rng, version, key, group, consumer):
    options = [word for option in rng.sample(
        [["JUSTID"], ["FORCE"], ["IDLE", rng.choice(["0", "x"])], ["TIME", rng.choice(["0", "x"])],
         ["RETRYCOUNT", rng.choice(["0", "7", "-1", "x"])], ["LASTID", fixed_id(rng)], ["FOO"]], rng.choice([0, 0, 1, 1, 2])) for word in option]
    idle = rng.choice(["0", "0", "0", "-1", "9999999", "x"])
    return rng.choice(
        [["XCLAIM", key, group, consumer, idle, *[fixed_id(rng) for _ in range(rng.randint(1, 3))], *options],
         ["XAUTOCLAIM", key, group, consumer, idle, rng.choice(["0", "0-0", "3-1", "(2-1", "-", "+", "abc"]),
          *rng.choice([[], [], ["COUNT", rng.choice(["1", "2", "0", "x"])], ["JUSTID"], ["FOO"]])]])


def deleting(rng, version, key, group, consumer):
    ids = [fixed_id(rng) for _ in range(rng.randint(1, 3))]
    plain = ["XDEL", key, *ids]
    if version != "8.2":
        return plain
    how = rng.choice([[], ["KEEPREF"], ["DELREF"], ["ACKED"], ["ACKED"], ["DELREF", "ACKED"], ["FOO"]])
    count = rng.choice([len(ids), len(ids), len(ids), 0, 9, "x"])
    return rng.choice([plain, ["XDELEX", key, *how, "IDS", count, *ids], ["XACKDEL", key, group, *how, "IDS", count, *ids]])


def looking(rng, version, key, group, consumer):
    return ["XINFO"] + rng.choice(
        [["STREAM", key], ["STREAM", key, "FULL"], ["STREAM", key, "FULL", "COUNT", rng.choice(["0", "1", "2", "x"])],
         ["STREAM", key, "FOO"], ["GROUPS", key], ["CONSUMERS", key, group], ["FOO"]])


def other(rng, version, key, group, consumer):
    return rng.choice(
        [["MULTI"], ["EXEC"], ["WATCH", key], ["DEL", "t"], ["TYPE", key], ["SET", "t", "x"], ["OBJECT", "ENCODING", key],
         ["EVAL", "return redis.call('xadd', KEYS[1], ARGV[1], 'f', 'v')", "1", key, "%d-1" % rng.randint(40, 60)],
         ["EVAL", "return redis.call('xreadgroup', 'group', 'g', 'c1', 'streams', KEYS[1], '>')", "1", key],
         ["EVAL", "return redis.call('xread', 'block', 10, 'streams', KEYS[1], '$')", "1", key],
         ["DEL", "s"] if rng.random() < 0.2 else ["EXISTS", key]])


def _times(raw):
    """Idle times and moments depend on when a step ran."""
    raw = re.sub(rb"(idle|inactive|seen-time|active-time)\r\n:\d+", rb"\1\r\n:N", raw)
    raw = re.sub(rb"(\$2\r\nc\d\r\n):\d+(\r\n:-?\d+\r\n)", rb"\1:N\2", raw)
    return re.sub(rb":\d{12,}", b":N", raw)


SLACK = {"*": _times}
