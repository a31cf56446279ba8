"""Runs a sequence step by step on both servers, so that each byte belongs to a step.

With the real server a step is over when two round trips on a further connection are: what has come on any connection
by then belongs to it. The playground may be slower, so there the same is waited for.
"""
import select
import time

from resp import Closed, encode
from servers import settle

LATE = {"FLUSHALL", "FLUSHDB"}  # a real server from 7.4 on answers these from another thread


def compare(servers, family, protocol, steps):
    """(the index of the first step that differs or None, what ours brought, what the real one brought)"""
    ours, real = run(servers, family, protocol, steps)
    return first_difference(family, steps, ours, real), ours, real


def run(servers, family, protocol, steps):
    """For ours and for the real one, what every step brought: a list of (connection, bytes)."""
    conns = []
    for server in servers:
        server.clear(family)
        conns.append(server.connect(family, protocol))
    seen = ([], [])
    for who, argv in steps:
        step(servers, conns, who, argv)
        real = [drain(conn, 0) for conn in conns[1]]
        ours = [drain(conn, len(data)) for conn, data in zip(conns[0], real)]
        for got, all_seen in zip((ours, real), seen):
            all_seen.append([(who, data) for who, data in enumerate(got) if data])
    for conn in conns[0] + conns[1]:
        conn.close()
    return seen


def step(servers, conns, who, argv):
    if who == "sleep":
        time.sleep(argv)
    else:
        send(conns, who, encode(argv))
    settle(servers)
    if is_late(argv) and conns[1][who].is_open():
        select.select([conns[1][who].socket], [], [], 0.1)
        settle(servers)


def send(conns, who, request):
    for side in conns:
        try:
            side[who].send_raw(request)
        except Closed:
            pass


def is_late(argv):
    return isinstance(argv, list) and str(argv[0]).upper() in LATE


def drain(conn, length):
    """All that has come; waits for so many bytes, not long once there are some. A closed connection is told once."""
    data = b""
    while conn.is_open():
        patience = 0 if len(data) >= length else 0.01 if data else 2
        if not select.select([conn.socket], [], [], patience)[0]:
            return data
        try:
            chunk = conn.socket.recv(1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            conn.close()
            return data + b"<closed>"
        data += chunk
    return data


def normalised(family, argv, raw):
    slack = getattr(family, "SLACK", {})
    words = [str(word).upper() for word in argv[:2]] if isinstance(argv, list) else []
    for name in (" ".join(words), words[0] if words else "", "*"):
        if name in slack:
            raw = slack[name](raw)
    return raw


def first_difference(family, steps, ours, real):
    for index, (step, left, right) in enumerate(zip(steps, ours, real)):
        if left != right:
            view = lambda seen: [(who, normalised(family, step[1], raw)) for who, raw in seen]
            if view(left) != view(right):
                return index
    return None
