"""Compares sequences as fast as the servers go, and tells which ones have to be looked at with care.

Families with one connection are sent as pipelines of many sequences. With several connections, what one of them sends in a row
goes out at once; before another one's turn both servers have to have read it. To wait for that is what takes time, so several
pairs of servers are at work at once.
"""
import os
import select
import time

import careful
from resp import Conn, encode, split
from servers import CLEARING, settling

PIPELINED = 40  # sequences at once
PAIRS = int(os.environ.get("PAIRS", 6))  # more of them help where others keep the processors busy, as round trips then take long
PATIENCE = 5  # seconds without a byte after which a pipeline counts as stuck


def suspects(pairs, family, sequences):
    """Each sequence, and whether it seems to differ."""
    if getattr(family, "CONNECTIONS", 1) > 1 or getattr(family, "CAREFUL", False):
        yield from side_by_side(pairs, family, iter(sequences))
        return
    batch = []
    for sequence in sequences:
        batch.append(sequence)
        if len(batch) == PIPELINED:
            yield from pipeline(pairs[0], family, batch)
            batch = []
    yield from pipeline(pairs[0], family, batch)


def side_by_side(pairs, family, sequences):
    """A sequence on each pair of servers; they take turns whenever one of them waits."""
    running = {}
    while True:
        for number, pair in enumerate(pairs):
            if number not in running and (sequence := next(sequences, None)):
                running[number] = sequence, differs(pair, family, *sequence[1:])
        if not running:
            return
        for number, (sequence, work) in list(running.items()):
            try:
                next(work)
            except StopIteration as end:
                del running[number]
                yield sequence, end.value


def pipeline(servers, family, batch):
    while batch:
        request = b"".join(whole(family, protocol, steps) for _, protocol, steps in batch)
        replies = [answer.split(MARK_REPLY) for answer in answers([server.port for server in servers], request, len(batch))]
        # Odd pieces are of sequences, even ones of what comes between them. One that ended its connection has no end.
        complete = min(len(pieces) for pieces in replies) // 2
        for index in range(min(complete, len(batch))):
            ours, real = (pieces[2 * index + 1] for pieces in replies)
            yield batch[index], ours != real and not alike(family, batch[index][2], ours, real)
        if complete < len(batch):
            yield batch[complete], True
        batch = batch[complete + 1 :]


MARK = encode(["ECHO", "<=!=>"])
MARK_REPLY = b"$5\r\n<=!=>\r\n"


def whole(family, protocol, steps):
    clearing = b"".join(encode(argv) for argv in [["RESET"], *CLEARING, *getattr(family, "SETUP", [])])
    if protocol == 3:
        clearing += encode(["HELLO", "3"])
    return clearing + MARK + b"".join(encode(argv) for _, argv in steps) + encode(["RESET"]) + MARK


def answers(ports, request, count):
    """What two servers send back until they have sent all marks, close, or say no more."""
    try:
        conns = [Conn(port) for port in ports]
    except OSError:
        return [b""] * len(ports)
    sides = {conn.socket: [memoryview(request), []] for conn in conns}
    marks = dict.fromkeys(sides, 0)
    for socket in sides:
        socket.setblocking(False)
    busy = set(sides)
    while busy:
        readable, writable, _ = select.select(busy, [socket for socket in busy if sides[socket][0]], [], PATIENCE)
        if not readable and not writable:
            break
        for socket in writable:
            try:
                sides[socket][0] = sides[socket][0][socket.send(sides[socket][0][: 1 << 18]) :]
            except OSError:
                sides[socket][0] = sides[socket][0][:0]
        for socket in readable:
            try:
                chunk = socket.recv(1 << 18)
            except OSError:
                chunk = b""
            chunks = sides[socket][1]
            tail = chunks[-1][-len(MARK_REPLY) + 1 :] if chunks else b""
            marks[socket] += (tail + chunk).count(MARK_REPLY)
            chunks.append(chunk)
            if not chunk or marks[socket] >= 2 * count:
                busy.discard(socket)
    for conn in conns:
        conn.close()
    return [b"".join(sides[conn.socket][1]) for conn in conns]


def alike(family, steps, ours, real):
    """Whether only what is left to each server differs."""
    if not hasattr(family, "SLACK"):
        return False
    try:
        ours, real = split(ours), split(real)
    except ValueError:
        # A line break in an error, as 8.2.3 sends it, ends the protocol.
        return False
    # One more reply than steps, which is RESET's. What has none or several is left to the careful way.
    if not len(ours) == len(real) == len(steps) + 1:
        return False
    return all(
        left == right or careful.normalised(family, step[1], left) == careful.normalised(family, step[1], right)
        for step, left, right in zip(steps, ours, real)
    )


def differs(servers, family, protocol, steps):
    """One sequence of a family with several connections, as a generator that pauses whenever it would wait for a server."""
    conns = []
    for server in servers:
        server.clear(family)
        conns.append(server.connect(family, protocol))
    result = False
    for turn in turns(family, steps):
        yield from send(servers, conns, turn)
        if turn_differs(family, conns, turn[-1][1]):
            result = True
            break
    for conn in conns[0] + conns[1]:
        conn.close()
    return result


def turns(family, steps):
    """Steps in a row by the same connection. Slack for some commands needs to know whose reply is whose."""
    alone = getattr(family, "CAREFUL", False) or set(getattr(family, "SLACK", {})) - {"*"}
    apart = getattr(family, "APART", set())
    turn = []
    for step in steps:
        if turn and (alone or step[0] != turn[-1][0] or "sleep" in (step[0], turn[-1][0]) or apart & set(step[1])):
            yield turn
            turn = []
        turn.append(step)
    if turn:
        yield turn


def send(servers, conns, turn):
    who, last = turn[0][0], turn[-1][1]
    if who == "sleep":
        end = time.monotonic() + last
        while time.monotonic() < end:
            yield
    else:
        careful.send(conns, who, b"".join(encode(argv) for _, argv in turn))
    yield from settling(servers)
    if careful.is_late(last) and conns[1][who].is_open():
        select.select([conns[1][who].socket], [], [], 0.02)
        yield from settling(servers)


def turn_differs(family, conns, last):
    for our_conn, real_conn in zip(*conns):
        real = careful.drain(real_conn, 0)
        ours = careful.drain(our_conn, len(real))
        if ours != real and careful.normalised(family, last, ours) != careful.normalised(family, last, real):
            return True
    return False
