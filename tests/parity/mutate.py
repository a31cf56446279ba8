#!/usr/bin/env python3
"""Asks a real server and ours the recorded facts in other words: what was learned by heart does not help there.

usage: mutate.py [--version 7.0|8.2] [--mutation NAME[,NAME]] [--group G[,G]] [--seed N] [--ours CMD] [--limit N] [--show N]
       mutate.py --list

Each fact of tests/facts that asks one plain server without waiting is changed by each mutation that fits it, and both servers are
asked. What two runs on the real server answer differently is left out. Prints what differs; the exit status tells whether anything
did. `--ours` is the command that starts ours; %PORT% and %V% stand for port and version.
"""
import argparse
import collections
import json
import random
import re
import sys

from record_facts import OWN, ROOT, Server, escape, play
from resp import Closed, Conn, NoReply
from servers import free_port, real_server

SHARED = ROOT + "/tests/facts/facts.jsonl"
OURS = ROOT + "/target/debug/playground serve --port %PORT% --redis-version %V% --config busy-reply-threshold=100"
EVALS = ("EVAL", "EVAL_RO")
MUTATIONS = {}


def mutation(change):
    """`change` takes a fact and a random generator, and gives the changed fact, or None where it does not fit."""
    MUTATIONS[change.__name__] = change
    return change


def with_argv(fact, argv, setup=()):
    return {**fact, "setup": [*fact["setup"], *setup], "argv": argv}


def commands(fact):
    """The words of setup and argv, each with what comes before them (`@on NAME`)."""
    return [*fact["setup"], fact["argv"]]


def everywhere(fact, change):
    """The fact with each command's words changed."""
    return {**fact, "setup": [change(list(words)) for words in fact["setup"]], "argv": change(list(fact["argv"]))}


def is_eval(argv, names=EVALS):
    return len(argv) > 2 and argv[0].upper() in names


def changed(old, new):
    return new if json.dumps(old) != json.dumps(new) else None


KEYS = re.compile(r"(?i)^(k|key|foo|bar|h|l|s|z|st|str|list|hash|set|zset|stream|mykey|x|y|a|b|n|cnt|counter)\d?$")


@mutation
def other_keys(fact, rng):
    """Keys are named otherwise, also in scripts."""
    names = {}
    for words in commands(fact):
        if len(words) > 1 and KEYS.match(words[1]) and words[0][0] != "@" and words[0].upper() not in EVALS:
            names[words[1]] = rng.choice(["", " ", "key:{%s}" % words[1], words[1] * 9, "\x00" + words[1], "1", "-1", "nil"])

    def change(words):
        words = words[:1] + [names.get(word, word) for word in words[1:]]
        if words[0].upper() in EVALS and len(words) > 1:
            for old, new in names.items():
                for quote in "'\"":
                    words[1] = words[1].replace(quote + old + quote, quote + new.replace("\x00", "\\0") + quote)
        return words

    return changed(fact, everywhere(fact, change))


@mutation
def other_numbers(fact, rng):
    """One number is another one."""
    words = list(fact["argv"])
    places = [at for at, word in enumerate(words) if at > 0 and re.fullmatch(r"-?\d+(\.\d+)?", word)]
    if is_eval(words):
        places = [at for at in places if at > 2]
    if not places:
        return None
    at = rng.choice(places)
    words[at] = rng.choice(["0", "1", "-1", "2", "10", "1.5", "-0", "9223372036854775807", "9223372036854775808", "1e3", "0x10", " 1", "", "abc", "-9223372036854775808", "4294967296", "nan", "inf"])
    return changed(fact, with_argv(fact, words))


@mutation
def other_script_numbers(fact, rng):
    """One number of a script is another one."""
    if not is_eval(fact["argv"]):
        return None
    script = fact["argv"][1]
    places = list(re.finditer(r"(?<![\w.'\"%\\])\d+(\.\d+)?(?![\w.'\"])", script))
    if not places:
        return None
    place = rng.choice(places)
    number = rng.choice(["0", "1", "(-1)", "2", "100", "1.5", "2^53", "2^63", "(-2^63)", "1e20", "(0/0)", "(1/0)", "nil", "'3'", "{}", "true"])
    script = script[: place.start()] + number + script[place.end() :]
    return changed(fact, with_argv(fact, [fact["argv"][0], script, *fact["argv"][2:]]))


@mutation
def more_arguments(fact, rng):
    """A word more, less or twice."""
    words = list(fact["argv"])
    first = 3 if is_eval(words) else 1
    if len(words) <= first:
        return with_argv(fact, words + ["x"])
    at = rng.randrange(first, len(words))
    kind = rng.choice("idr")
    if kind == "i":
        words.insert(at, words[at])
    elif kind == "d":
        del words[at]
    else:
        words[at] = rng.choice(["", "\x00", "\xff", words[at].upper(), words[at] + " ", words[at] * 2, "nosuch"])
    return changed(fact, with_argv(fact, words))


@mutation
def as_function(fact, rng):
    """EVAL becomes FCALL of a function with the same body."""
    argv = fact["argv"]
    if not is_eval(argv):
        return None
    script, flags = argv[1], ""
    if script.startswith("#!"):
        head, _, script = script.partition("\n")
        flags = "".join(re.findall(r"flags=(\S*)", head))
        flags = ",".join("'%s'" % flag for flag in flags.split(",") if flag)
    elif argv[0].upper() == "EVAL_RO":
        flags = "'no-writes'"
    library = "#!lua name=mutated\nredis.register_function{function_name='f', flags={%s}, callback=function(KEYS, ARGV) %s\nend}" % (flags, script)
    name = "FCALL_RO" if argv[0].upper() == "EVAL_RO" else "FCALL"
    return with_argv(fact, [name, "f", *argv[2:]], [["FUNCTION", "LOAD", library]])


@mutation
def as_library(fact, rng):
    """The body of a script is that of a library."""
    argv = fact["argv"]
    if not is_eval(argv) or argv[1].startswith("#!"):
        return None
    return with_argv(fact, ["FUNCTION", "LOAD", "#!lua name=mutated\n" + argv[1]])


@mutation
def by_sha(fact, rng):
    """EVAL becomes SCRIPT LOAD, and EVALSHA by its answer is left to Redis: the script is sent twice."""
    argv = fact["argv"]
    return with_argv(fact, argv, [argv]) if is_eval(argv) else None


@mutation
def read_only(fact, rng):
    """EVAL becomes EVAL_RO and the other way round."""
    argv = fact["argv"]
    if not is_eval(argv):
        return None
    return with_argv(fact, ["EVAL" if argv[0].upper() == "EVAL_RO" else "EVAL_RO", *argv[1:]])


@mutation
def call_and_pcall(fact, rng):
    """redis.call becomes redis.pcall and the other way round."""
    argv = fact["argv"]
    if not is_eval(argv):
        return None
    swap = {"redis.call": "redis.pcall", "redis.pcall": "redis.call"}
    script = re.sub(r"redis\.p?call", lambda found: swap[found.group()], argv[1])
    return changed(fact, with_argv(fact, [argv[0], script, *argv[2:]]))


@mutation
def caught(fact, rng):
    """The script runs in a pcall, and what comes of it is returned with its type."""
    argv = fact["argv"]
    if not is_eval(argv) or argv[1].startswith("#!"):
        return None
    script = "local r={pcall(function(...) %s\nend, ...)} return {type(r[2]), r[2], type(r[2])=='table' and r[2].err or false, #r}" % argv[1]
    return with_argv(fact, [argv[0], script, *argv[2:]])


@mutation
def in_coroutine(fact, rng):
    """The script runs in a coroutine."""
    argv = fact["argv"]
    if not is_eval(argv) or argv[1].startswith("#!"):
        return None
    script = "local c=coroutine.create(function(...) %s\nend) return {coroutine.resume(c, ...)}" % argv[1]
    return with_argv(fact, [argv[0], script, *argv[2:]])


@mutation
def other_protocol(fact, rng):
    """The connection speaks the other protocol."""
    return {**fact, "resp": 5 - fact["resp"]}


@mutation
def script_protocol(fact, rng):
    """The script turns to RESP3 first."""
    argv = fact["argv"]
    if not is_eval(argv) or argv[1].startswith("#!"):
        return None
    return with_argv(fact, [argv[0], "redis.setresp(3) " + argv[1], *argv[2:]])


@mutation
def in_transaction(fact, rng):
    """The command is queued and runs in EXEC."""
    if fact["argv"][0].upper() in ("MULTI", "EXEC", "DISCARD", "WATCH", "QUIT", "RESET", "UNWATCH"):
        return None
    return with_argv(fact, ["EXEC"], [["MULTI"], fact["argv"]])


IN_SCRIPT = "%sreturn %s(unpack(ARGV))"


@mutation
def in_script(fact, rng):
    """A command is called from a script."""
    if fact["argv"][0].upper() in EVALS:
        return None
    script = IN_SCRIPT % (rng.choice(["", "redis.setresp(3) "]), rng.choice(["redis.call", "redis.pcall"]))
    return with_argv(fact, ["EVAL", script, "0", *fact["argv"]])


@mutation
def described(fact, rng):
    """A command is called from a script that tells of what kind the reply's parts are."""
    if fact["argv"][0].upper() in EVALS:
        return None
    script = (
        "redis.setresp(%d) local function d(v, n) if type(v)~='table' or n>4 then return type(v)..':'..tostring(v) end local o={} "
        "for k,x in pairs(v) do o[#o+1]=tostring(k)..'='..d(x,n+1) end table.sort(o) return '{'..table.concat(o,',')..'}' end "
        "return d(redis.pcall(unpack(ARGV)),0)" % rng.choice([2, 3])
    )
    return with_argv(fact, ["EVAL", script, "0", *fact["argv"]])


def usable(fact, group):
    if fact.get("server", "plain") != "plain" or fact.get("unstable") or group and fact["group"] not in group:
        return False
    # What is configured would stay for the facts after it, and what loops may be changed to loop for longer.
    stays = any(re.search(r"(?i)\d000000|1e[6-9]|\bconfig\b|deny-scripts|setuser", word) for words in commands(fact) for word in words)
    # Prose of our own, what has no order, and what asks how the connection is used.
    varies = re.search(r"(?i)\bhelp$|^command (info|docs)|^script debug", " ".join(fact["argv"]))
    waits = any(words[0] in ("@sleep", "@send", "@recv") for words in commands(fact))
    return not waits and not stays and not varies and "<none>" not in fact["replies"].values()


def replies(fact, servers):
    """What each server answers: all commands in one go to both, since waiting for each would take most of the time."""
    # One of the changed facts makes a replica of the server.
    words = [["REPLICAOF", "NO", "ONE"], ["FLUSHALL"], ["FUNCTION", "FLUSH"], ["SCRIPT", "FLUSH"], *fact["setup"], fact["argv"]]
    if fact["resp"] == 3:
        words.insert(0, ["HELLO", "3"])
    if any(each[0][0] == "@" for each in words):
        return [play(fact, server) for server in servers]
    conns = []
    for server in servers:
        try:
            conns.append(Conn(server.port, timeout=3))
        except OSError:
            server.process.wait()
            server.start()
            conns.append(Conn(server.port, timeout=3))
        conns[-1].send_all(words)
    return [last_reply(conn, len(words), server) for conn, server in zip(conns, servers)]


def last_reply(conn, count, server):
    try:
        for _ in range(count):
            reply = conn.receive()
        return re.sub("0x[0-9a-f]{6,}", "0x...", escape(reply))
    except NoReply:
        server.ready()
        return "<none>"
    except Closed:
        return "<closed>"
    except ValueError:
        return "<no reply of RESP>"
    finally:
        conn.close()


def ask(fact, real, ours):
    """The replies of both; None where the real server is not of one mind."""
    want, got = replies(fact, [real, ours])
    if want == got:
        return want, got
    return (want, got) if replies(fact, [real]) == [want] else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", choices=("7.0", "8.2"), default="8.2")
    parser.add_argument("--mutation")
    parser.add_argument("--group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ours", default=OURS)
    parser.add_argument("--limit", type=int, default=1 << 30, help="facts that are asked")
    parser.add_argument("--show", type=int, default=40, help="differences that are printed")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for name, change in MUTATIONS.items():
            print("%-22s %s" % (name, change.__doc__))
        return 0
    names = args.mutation.split(",") if args.mutation else list(MUTATIONS)
    group = args.group and args.group.split(",")
    facts = [json.loads(line) for path in (SHARED, OWN) for line in open(path)]
    facts = [fact for fact in facts if usable(fact, group)]
    random.Random(args.seed).shuffle(facts)
    real = Server(real_server(args.version) + " --busy-reply-threshold 100", free_port(), False)
    ours = Server(args.ours.replace("%V%", args.version), free_port(), False)
    asked, differ, unsure = collections.Counter(), collections.Counter(), 0
    try:
        for name in names:
            for fact in facts[: args.limit]:
                mutant = MUTATIONS[name](fact, random.Random("%d %s %s" % (args.seed, name, fact["id"])))
                if mutant is None:
                    continue
                both = ask(mutant, real, ours)
                asked[name] += 1
                if both is None:
                    unsure += 1
                    continue
                want, got = both
                if want != got:
                    differ[name] += 1
                    if sum(differ.values()) <= args.show:
                        print("%s %s on %s\n  setup %s\n  argv  %s\n  want  %.600s\n  got   %.600s" % (name, fact["id"], args.version, mutant["setup"], mutant["argv"], want, got), flush=True)
    finally:
        real.stop()
        ours.stop()
    for name in names:
        print("%-22s %5d asked, %d differ" % (name, asked[name], differ[name]))
    print("%d asked, %d differ, %d of two minds" % (sum(asked.values()), sum(differ.values()), unsure))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
