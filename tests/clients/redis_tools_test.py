"""redis-cli, at a terminal and in scripts, and redis-benchmark: Debian's own programs."""

import os
import pty
import re
import select
import subprocess
import time
import unittest

from servers import Server


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def cli(self, *words, given=None):
        command = ["redis-cli", "-p", str(self.server.port), *words]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=20)
        return done.stdout + done.stderr

    def test_replies_to_a_pipe_are_raw_and_exit_codes_tell_of_errors(self):
        self.assertEqual(self.cli("SET", "k", "v"), "OK\n")
        self.assertEqual(self.cli("EVAL", "return {1, 'two', {3}, false}", "0"), "1\ntwo\n3\n\n")
        self.assertEqual(self.cli("--json", "EVAL", "return {1, 'two'}", "0"), '[1,"two"]\n')
        self.assertEqual(self.cli("-3", "--no-raw", "EVAL", "return {map={a=1}}", "0"), '1# "a" => (integer) 1\n')
        self.assertIn("NOSCRIPT", self.cli("-e", "EVALSHA", "0" * 40, "0"))

    def test_a_script_file_is_run_with_keys_and_arguments(self):
        path = f"/tmp/playground-script-{os.getpid()}.lua"
        with open(path, "w", encoding="utf-8") as file:
            file.write("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        self.assertEqual(self.cli("--eval", path, "counter", ",", "5"), "5\n")
        self.assertEqual(self.cli("-n", "3", "--eval", path, "counter", ",", "2"), "2\n")
        os.unlink(path)

    def test_a_thousand_commands_are_piped_in(self):
        given = "".join(f"SET piped:{n} {n}\r\n" for n in range(1000))
        self.assertIn("errors: 0, replies: 1000", self.cli("--pipe", given=given))
        self.assertEqual(len(self.cli("--scan", "--pattern", "piped:*").split()), 1000)
        self.assertIn("Biggest string", self.cli("--bigkeys"))

    def test_a_session_at_a_terminal_looks_as_it_should(self):
        session = Terminal(["redis-cli", "-p", str(self.server.port)])
        prompt = f"127.0.0.1:{self.server.port}> "
        session.wait_for(prompt)
        self.assertIn("OK", session.type("SET greeting hello", prompt))
        self.assertIn('"hello"', session.type("GET greeting", prompt))
        self.assertIn('1) (integer) 1\r\n2) "two"\r\n3) (nil)', session.type("EVAL \"return {1,'two',false,4}\" 0", prompt))
        self.assertIn("(error) ERR wrong number of arguments for 'get' command", session.type("GET", prompt))
        self.assertIn("QUEUED", session.type("MULTI", "(TX)> ") + session.type("PING", "(TX)> "))
        self.assertIn("1) PONG", session.type("EXEC", prompt))
        self.assertIn("OK", session.type("SELECT 2", f"{self.server.port}[2]> "))
        self.assertIn("hello: ready", session.type("EVAL \"return redis.status_reply('hello: ready')\" 0", "[2]> "))
        self.assertIn("summary:", session.type("HELP SETEX", "[2]> "))
        session.close()

    def test_the_benchmark_runs_plain_pipelined_and_with_scripts(self):
        for words in (["-t", "ping,set,get,lpush,hset,zadd,mset"], ["-t", "set,get", "-P", "16"], ["EVAL", "return 1", "0"]):
            command = ["redis-benchmark", "-p", str(self.server.port), "-n", "1000", "-c", "20", "-q", *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("ERR", done.stdout + done.stderr)
            self.assertIn("requests per second", done.stdout)


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, words):
        self.seen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # A dumb terminal is not asked where its cursor is, and shows no line twice.
            os.environ.update(TERM="dumb", HOME="/nonexistent")
            os.execvp(words[0], words)

    def type(self, line, prompt):
        """Answers what the line brings up to the next prompt."""
        os.write(self.terminal, line.encode() + b"\n")
        return self.wait_for("\r\n") and self.wait_for(prompt)

    def wait_for(self, text):
        """What the terminal showed before the text, which is used up."""
        deadline = time.monotonic() + 10
        while text not in self.seen:
            if time.monotonic() > deadline:
                raise AssertionError(f"{text!r} did not come: {self.seen!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                shown = os.read(self.terminal, 65536).decode("utf-8", "replace")
                self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
        before, self.seen = self.seen.split(text, 1)
        return before or " "

    def close(self):
        os.write(self.terminal, b"quit\n")
        os.waitpid(self.process, 0)
        os.close(self.terminal)


if __name__ == "__main__":
    unittest.main()
