"""Starts the server that a test talks to: the playground, or a real Redis to compare with.

PLAYGROUND names the playground's program; where REDIS_SERVER names a real server's, that one is started instead, so that any test
here can be held against it:

  REDIS_SERVER=redis-server python3 tests/clients/run.py
"""

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLAYGROUND = os.environ.get("PLAYGROUND", str(ROOT / "target/debug/playground"))
REDIS_SERVER = os.environ.get("REDIS_SERVER")


class Server:
    """A server of its own, on a port of its own; it ends with the `with` block."""

    def __init__(self, version="8.6.3", cluster=False, config=None, program=None):
        config = config or {}
        program = program or REDIS_SERVER
        if program:
            self._start_redis(program, cluster, config)
        else:
            self._start_playground(version, cluster, config)

    def _start_playground(self, version, cluster, config):
        words = [PLAYGROUND, "serve", "--port", "0", "--redis-version", version]
        words += ["--cluster"] if cluster else []
        for name, value in config.items():
            words += ["--config", f"{name}={value}"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        self.port = int(ready.rsplit(":", 1)[1])

    def _start_redis(self, program, cluster, config):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if cluster and self.port > 55535:
            self.port -= 20000
        words = [program, "--port", str(self.port), "--save", "", "--enable-debug-command", "yes"]
        words += ["--dir", tempfile.mkdtemp()]
        words += ["--cluster-enabled", "yes"] if cluster else []
        for name, value in config.items():
            words += [f"--{name}", value]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.ask(b"PING\r\n")
                break
            except OSError:
                time.sleep(0.05)
        if cluster:
            self.ask(b"CLUSTER ADDSLOTSRANGE 0 16383\r\n")
            while b"cluster_state:ok" not in self.ask(b"CLUSTER INFO\r\n"):
                time.sleep(0.05)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def ask(self, sent):
        """Sends bytes on a connection of their own; answers what comes back at once."""
        with self.connect() as connection:
            connection.sendall(sent)
            return connection.recv(1 << 20)

    def ended(self):
        """Waits for the process to end by itself; answers its exit code."""
        return self.process.wait(10)

    def stop(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
