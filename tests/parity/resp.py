"""RESP for the parity scripts: a connection that keeps replies raw, and a reader that turns them into values."""
import socket


class Closed(Exception):
    """The server closed the connection."""


class NoReply(Exception):
    """Nothing came in time."""


def encode(argv):
    parts = [b"*%d\r\n" % len(argv)]
    for word in argv:
        word = word if isinstance(word, bytes) else str(word).encode("latin-1")
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class Conn:
    def __init__(self, port, timeout=5.0, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.timeout = timeout
        self.buffer = b""

    def send(self, argv):
        self.send_raw(encode(argv))

    def send_all(self, commands):
        self.send_raw(b"".join(map(encode, commands)))

    def send_raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            raise Closed() from None

    def is_open(self):
        return self.socket.fileno() >= 0

    def receive(self, timeout=None):
        """The bytes of the next reply."""
        self.socket.settimeout(self.timeout if timeout is None else timeout)
        end = self._end(0)
        raw, self.buffer = self.buffer[:end], self.buffer[end:]
        return raw

    def call(self, *argv):
        self.send(argv)
        return self.receive()

    def close(self):
        self.socket.close()

    def _fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except (socket.timeout, BlockingIOError):
            raise NoReply() from None
        except OSError:
            raise Closed() from None
        if not data:
            raise Closed()
        self.buffer += data

    def _end(self, at):
        """Where the reply that begins at `at` ends; reads until it is whole."""
        left = 1
        while left:
            left -= 1
            while (line_end := self.buffer.find(b"\r\n", at)) < 0:
                self._fill()
            kind, text = self.buffer[at : at + 1], self.buffer[at + 1 : line_end]
            at = line_end + 2
            if kind in b"+-:,#(_":
                continue
            count = int(text)
            if count < 0:
                continue
            if kind in b"$=!":
                at += count + 2
                while len(self.buffer) < at:
                    self._fill()
            elif kind in b"*~>":
                left += count
            elif kind == b"%":
                left += 2 * count
            elif kind == b"|":
                left += 2 * count + 1
            else:
                raise ValueError("not a reply: %r" % kind)
        return at


def split(raw):
    """The replies one by one, still raw."""
    replies, at, end = [], 0, len(raw)
    while at < end:
        start, left = at, 1
        while left:
            left -= 1
            line_end = raw.index(b"\r\n", at)
            kind = raw[at]
            if kind in b"+-:,#(_":
                at = line_end + 2
                continue
            count = int(raw[at + 1 : line_end])
            at = line_end + 2
            if count < 0:
                continue
            if kind in b"$=!":
                at += count + 2
            else:
                left += count * (2 if kind in b"%|" else 1) + (kind == ord("|"))
        replies.append(raw[start:at])
    return replies


def decode(raw):
    """A raw reply as Python values: errors as ('-', text), statuses as ('+', text), everything else plain."""
    value, end = _decode(raw, 0)
    assert end == len(raw), raw
    return value


def _decode(raw, at):
    line_end = raw.index(b"\r\n", at)
    kind, text = raw[at : at + 1], raw[at + 1 : line_end]
    at = line_end + 2
    if kind in b"+-":
        return (kind.decode(), text.decode("latin-1")), at
    if kind == b":":
        return int(text), at
    if kind == b",":
        return float(text), at
    if kind == b"#":
        return text == b"t", at
    if kind == b"(":
        return int(text), at
    if kind == b"_":
        return None, at
    count = int(text)
    if count < 0:
        return None, at
    if kind in b"$=":
        return raw[at : at + count], at + count + 2
    if kind == b"%":
        pairs = []
        for _ in range(count):
            key, at = _decode(raw, at)
            value, at = _decode(raw, at)
            pairs.append((key, value))
        return ("%", pairs), at
    items = []
    for _ in range(count):
        item, at = _decode(raw, at)
        items.append(item)
    return items, at
