"""Random bytes and broken requests: the server stays up, its memory bounded, and other clients are served meanwhile.

  bad_input_test.py [COUNT [SEED]]     more than the few thousand of an ordinary test run
"""

import random
import select
import socket
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "support"))
from servers import Server

COUNT, SEED = 5_000, 7
CONNECTIONS = 32
# What a thing like this may leave behind in the server, beyond what it took before: megabytes.
MEMORY_MAX = 200

PIECES = [b"\r\n", b"\n", b"\r", b"\0", b"*", b"$", b"$-1", b"*-1", b"*3", b"$3", b"%1", b"~2", b">1", b"_", b"#t", b",1.5", b"(1", b"\""]
WORDS = """PING GET SET DEL MSET INCR APPEND GETRANGE SETRANGE LPUSH LRANGE LPOS SADD SPOP ZADD ZRANGE ZRANGEBYSCORE HSET HGETALL XADD XREAD XRANGE
EVAL EVALSHA SCRIPT FUNCTION FCALL MULTI EXEC DISCARD WATCH SUBSCRIBE UNSUBSCRIBE PUBLISH CLIENT CONFIG HELLO AUTH RESET SELECT SCAN SORT BITFIELD
BITOP PFADD GEOADD OBJECT DUMP RESTORE COPY EXPIRE PEXPIREAT BLPOP WAIT ACL COMMAND INFO DEBUG MEMORY LATENCY SLOWLOG LCS GETEX ECHO TIME""".split()
VALUES = [b"k", b"k2", b"{t}k", b"", b"0", b"-1", b"1", b"99999999999999999999", b"-9223372036854775808", b"9223372036854775807", b"1e400", b"nan", b"+inf",
    b"LOAD", b"LIST", b"GET", b"SETNAME", b"NX", b"EX", b"BLOCK", b"COUNT", b"MATCH", b"STREAMS", b"WITHSCORES", b"LIMIT", b"*", b"$", b"0-0", b"(1", b"[a",
    b"return 1", b"return redis.call(KEYS[1])", b"return {1,{2,{3}}}", b"error({})", b"return cjson.decode(ARGV[1])", b"#!lua name=x\nredis.register_function('f', redis.call)",
    b"return redis.pcall('GET')", b"x" * 300, bytes(range(256))]
# These end the server, stop it for good or wait for ever, as they should.
TABOO = (b"SHUTDOWN", b"SLEEP", b"PAUSE", b"SEGFAULT", b"while", b"MONITOR", b"REPLICAOF")


class Maker:
    """Makes input that is wrong in many ways; the same seed makes the same input."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def next(self):
        kind = self.random.random()
        if kind < 0.15:
            made = self.random.randbytes(self.random.randrange(1, 60))
        elif kind < 0.25:
            made = b"".join(self.random.choice(PIECES + VALUES) for _ in range(self.random.randrange(1, 12)))
        else:
            made = self.request()
            if kind < 0.7:
                made = self.mutated(made)
        return b"PING\r\n" if any(word.lower() in made.lower() for word in TABOO) else made

    def request(self):
        words = [self.random.choice(WORDS).encode()]
        words += [self.random.choice(VALUES) for _ in range(self.random.randrange(0, 6))]
        if self.random.random() < 0.1:
            return b" ".join(words) + b"\r\n"
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    def mutated(self, made):
        made = bytearray(made)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(made) + 1)
            change = self.random.randrange(5)
            if change == 0 and made:
                made[min(at, len(made) - 1)] = self.random.randrange(256)
            elif change == 1:
                made[at:at] = self.random.choice(PIECES)
            elif change == 2:
                del made[at : at + self.random.randrange(1, 8)]
            elif change == 3:
                made[at:] = b""
            else:
                made[at:at] = b"%d" % self.random.choice([-1, 0, 7, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 40, 1 << 63])
        return bytes(made)


class Attackers:
    """Some connections that take turns; one that is closed is opened again."""

    def __init__(self, server):
        self.server = server
        self.closed = 0
        self.connections = [self.open() for _ in range(CONNECTIONS)]
        self.sent = [0] * CONNECTIONS

    def open(self):
        connection = self.server.connect()
        connection.setblocking(False)
        return connection

    def send(self, place, made):
        connection = self.connections[place]
        self.sent[place] += 1
        try:
            connection.send(made)
            while connection.recv(1 << 16):
                pass
            fresh = True
        except BlockingIOError:
            # Half a request swallows what follows: now and then a new connection begins at a beginning.
            fresh = self.sent[place] % 4 == 0
        except OSError:
            fresh = True
        if fresh:
            self.closed += 1
            connection.close()
            self.connections[place] = self.open()

    def close(self):
        for connection in self.connections:
            connection.close()


def memory_megabytes(pid):
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def attack(count, seed):
    """Answers how often a connection was closed, and the server's memory before and after in megabytes."""
    with Server() as server:
        maker, attackers = Maker(seed), Attackers(server)
        bystander = server.connect()
        before = memory_megabytes(server.process.pid)
        for n in range(count):
            attackers.send(n % CONNECTIONS, maker.next())
            if n % 500 == 0:
                bystander.sendall(b"ECHO %d\r\n" % n)
                expected = b"$%d\r\n%d\r\n" % (len(b"%d" % n), n)
                assert receive(bystander, len(expected)) == expected, f"a bystander was not served after {n} inputs"
                # What was written meanwhile is no leak.
                bystander.sendall(b"FLUSHALL\r\nSCRIPT FLUSH\r\nFUNCTION FLUSH\r\nCONFIG SET requirepass ''\r\nACL SETUSER default on nopass ~* &* +@all\r\n")
                receive(bystander, 25)
        attackers.close()
        assert server.process.poll() is None, "the server has ended"
        return attackers.closed, before, memory_megabytes(server.process.pid)


def receive(connection, length):
    got = b""
    while len(got) < length:
        assert select.select([connection], [], [], 30)[0], f"nothing comes behind {got!r}"
        more = connection.recv(length - len(got))
        assert more, f"the connection was closed behind {got!r}"
        got += more
    return got


class BadInput(unittest.TestCase):
    def test_random_bytes_and_broken_requests_do_no_harm(self):
        closed, before, after = attack(COUNT, SEED)
        self.assertGreater(closed, 100)
        self.assertLess(after - before, MEMORY_MAX)

    def test_protocol_errors_are_those_of_a_real_server(self):
        error = b"-ERR Protocol error: %s\r\n"
        with Server() as server:
            for sent, expected in [
                (b"*x\r\n", error % b"invalid multibulk length"),
                (b"*2147483648\r\n", error % b"invalid multibulk length"),
                (b"*1\r\n:4\r\n", error % b"expected '$', got ':'"),
                (b"*1\r\n" * 10_000, error % b"expected '$', got '*'"),
                (b"*1\r\n$-1\r\n", error % b"invalid bulk length"),
                (b"*1\r\n$536870913\r\n", error % b"invalid bulk length"),
                (b"*" + b"1" * 70_000, error % b"too big mbulk count string"),
                (b"*1\r\n$" + b"1" * 70_000, error % b"too big bulk count string"),
                (b"A" * 70_000, error % b"too big inline request"),
                (b'ECHO "a\r\n', error % b"unbalanced quotes in request"),
                (b"PING\r\n*-5\r\n*0\r\n\r\nPING\r\nQUIT\r\n", b"+PONG\r\n+PONG\r\n+OK\r\n"),
                (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b""),
            ]:
                with self.subTest(sent[:40]):
                    self.assertEqual(ended(server, sent), expected)

    def test_who_has_no_password_may_send_little(self):
        error = b"-ERR Protocol error: unauthenticated %s length\r\n"
        with Server(config={"requirepass": "secret"}) as server:
            self.assertEqual(ended(server, b"*11\r\n"), error % b"multibulk")
            self.assertEqual(ended(server, b"*1\r\n$16385\r\n"), error % b"bulk")
            self.assertEqual(ended(server, b"AUTH secret\r\n*11\r\n$4\r\nPING\r\n" + b"$1\r\na\r\n" * 10 + b"QUIT\r\n"),
                b"+OK\r\n-ERR wrong number of arguments for 'ping' command\r\n+OK\r\n")

    def test_a_request_that_never_ends_is_given_up(self):
        with Server(config={"client-query-buffer-limit": "1048576"}) as server:
            with server.connect() as connection:
                connection.sendall(b"*2\r\n$4\r\nECHO\r\n$400000000\r\n")
                with self.assertRaises(OSError):
                    for _ in range(100):
                        connection.sendall(b"x" * 100_000)
                    raise AssertionError("everything was taken")
            self.assertEqual(server.ask(b"PING\r\n"), b"+PONG\r\n")


def ended(server, sent):
    """All that comes back until the server ends the connection."""
    with server.connect() as connection:
        connection.sendall(sent)
        got = b""
        try:
            while more := connection.recv(1 << 16):
                got += more
        except ConnectionResetError:
            # Whoever still sends may be cut off, behind the reply.
            pass
        return got


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]] + [COUNT, SEED][len(sys.argv) - 1 :]
    ends, at_first, at_last = attack(*given)
    print(f"{given[0]} inputs with seed {given[1]}: {ends} connections closed, {at_first} MB before, {at_last} MB after")
