"""The server as such: many clients, slow ones, silent ones, those that leave halfway, and its own end."""

import socket
import subprocess
import time
import unittest

import redis

from servers import PLAYGROUND, REDIS_SERVER, Server


def read_exactly(connection, length):
    got = b""
    while len(got) < length and (more := connection.recv(min(1 << 20, length - len(got)))):
        got += more
    return got


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.admin = redis.Redis(port=self.server.port, decode_responses=True, socket_timeout=10)
        self.admin.flushall()
        self.addCleanup(self.admin.close)

    def test_a_thousand_clients_at_once(self):
        clients = [self.server.connect() for _ in range(1000)]
        for client in clients:
            client.sendall(b"INCR n\r\n")
        replies = sorted(int(client.recv(20)[1:-2]) for client in clients)
        self.assertEqual(replies, list(range(1, 1001)))
        self.assertGreater(len(self.admin.client_list()), 1000)
        for client in clients:
            client.close()

    def test_a_pipeline_of_a_hundred_thousand_commands(self):
        with self.server.connect() as client:
            client.sendall(b"SET k v\r\n" * 1000)
            self.assertEqual(read_exactly(client, 5000), b"+OK\r\n" * 1000)
            for _ in range(10):
                client.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" * 10_000)
            self.assertEqual(read_exactly(client, 700_000), b"$1\r\nv\r\n" * 100_000)

    def test_a_value_of_many_megabytes_goes_in_and_out(self):
        value = b"x" * (20 << 20)
        binary = redis.Redis(port=self.server.port, socket_timeout=30)
        binary.set("big", value)
        self.assertEqual(binary.eval("return redis.call('STRLEN', KEYS[1])", 1, "big"), len(value))
        self.assertEqual(binary.get("big"), value)
        binary.close()

    def test_what_was_sent_before_the_end_is_still_answered(self):
        with self.server.connect() as client:
            client.sendall(b"PING\r\nECHO hi\r\nPI")
            client.shutdown(socket.SHUT_WR)
            self.assertEqual(read_exactly(client, 100), b"+PONG\r\n$2\r\nhi\r\n")

    def test_a_client_that_leaves_while_it_waits_takes_nothing(self):
        with self.server.connect() as client:
            client.sendall(b"BLPOP q 0\r\n")
            self.wait_for(lambda: self.admin.info("clients")["blocked_clients"] == 1)
        self.wait_for(lambda: self.admin.info("clients")["blocked_clients"] == 0)
        self.assertEqual(self.admin.rpush("q", "job"), 1)
        self.assertEqual(self.admin.lrange("q", 0, -1), ["job"])

    def test_clients_are_killed_by_id_address_and_kind(self):
        for by in ("id", "addr", "laddr", "type"):
            with self.subTest(by), self.server.connect() as client:
                client.sendall(b"CLIENT SETNAME victim\r\n" + (b"SUBSCRIBE c\r\n" if by == "type" else b""))
                self.wait_for(lambda: any(one["name"] == "victim" and (by != "type" or one["sub"] == "1") for one in self.admin.client_list()))
                victim = next(one for one in self.admin.client_list() if one["name"] == "victim")
                words = {"id": ["ID", victim["id"]], "addr": ["ADDR", victim["addr"]], "laddr": ["LADDR", victim["laddr"]], "type": ["TYPE", "pubsub"]}[by]
                self.assertGreaterEqual(self.admin.execute_command("CLIENT", "KILL", *words, "SKIPME", "yes"), 1)
                while client.recv(1000):
                    pass
                self.assertNotIn("victim", [one["name"] for one in self.admin.client_list()])

    def test_a_subscriber_that_does_not_read_is_let_go(self):
        self.admin.config_set("client-output-buffer-limit", "pubsub 1mb 0 0")
        with self.server.connect() as slow:
            slow.sendall(b"SUBSCRIBE news\r\n")
            self.wait_for(lambda: self.admin.publish("news", "x") == 1)
            message = "x" * 100_000
            for _ in range(400):
                if self.admin.publish("news", message) == 0:
                    break
            self.wait_for(lambda: self.admin.publish("news", "x") == 0)
        self.admin.config_set("client-output-buffer-limit", "pubsub 32mb 8mb 60")

    def test_silent_clients_are_let_go_after_the_timeout_but_not_who_waits_or_listens(self):
        with self.server.connect() as silent, self.server.connect() as waiting, self.server.connect() as listening:
            waiting.sendall(b"BLPOP q 4\r\n")
            listening.sendall(b"SUBSCRIBE c\r\n")
            self.admin.config_set("timeout", 1)
            began = time.monotonic()
            self.assertEqual(silent.recv(10), b"")
            self.assertGreater(time.monotonic() - began, 0.5)
            self.assertEqual(waiting.recv(10), b"*-1\r\n")
            self.assertEqual(read_exactly(listening, 30), b"*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n")
            self.admin = redis.Redis(port=self.server.port, decode_responses=True)
            self.admin.config_set("timeout", 0)

    def wait_for(self, holds):
        deadline = time.monotonic() + 10
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class Ends(unittest.TestCase):
    def test_shutdown_ends_the_process_and_answers_nothing(self):
        with Server() as server:
            with server.connect() as client, server.connect() as other:
                client.sendall(b"SHUTDOWN NOSAVE\r\n")
                self.assertEqual((client.recv(10), other.recv(10)), (b"", b""))
            self.assertEqual(server.ended(), 0)

    def test_more_clients_than_allowed_are_told(self):
        with Server(config={"maxclients": "5"}) as server:
            clients = [server.connect() for _ in range(5)]
            for client in clients:
                client.sendall(b"PING\r\n")
                self.assertEqual(client.recv(10), b"+PONG\r\n")
            with server.connect() as one_more:
                self.assertEqual(one_more.recv(100), b"-ERR max number of clients reached\r\n")
            clients.pop().close()
            time.sleep(0.1)
            self.assertEqual(server.ask(b"PING\r\n"), b"+PONG\r\n")
            for client in clients:
                client.close()


@unittest.skipIf(REDIS_SERVER, "real nodes have to be introduced to each other")
class Nodes(unittest.TestCase):
    def test_three_nodes_share_the_slots_and_a_slot_moves_from_one_to_another(self):
        words = [PLAYGROUND, "serve", "--port", "0", "--nodes", "3"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        ports = [int(process.stdout.readline().rsplit(":", 1)[1]) for _ in range(3)]
        cluster = redis.RedisCluster(host="127.0.0.1", port=ports[0], decode_responses=True)
        self.addCleanup(cluster.close)
        self.assertEqual(sorted(node.port for node in cluster.get_primaries()), sorted(ports))
        for n in range(300):
            cluster.set(f"k{n}", n)
        self.assertEqual([cluster.get(f"k{n}") for n in range(300)], [str(n) for n in range(300)])
        nodes = {port: redis.Redis(port=port, decode_responses=True) for port in ports}
        self.assertTrue(all(node.dbsize() > 50 for node in nodes.values()))
        add = cluster.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
        self.assertEqual([add(keys=[f"k{n}"], args=[1000]) for n in range(3)], [1000, 1001, 1002])

        source_port = cluster.get_node_from_key("k0").port
        target_port = next(port for port in ports if port != source_port)
        source, target = nodes[source_port], nodes[target_port]
        slot = cluster.keyslot("k0")
        target.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", source.execute_command("CLUSTER MYID"))
        source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", target.execute_command("CLUSTER MYID"))
        self.assertEqual(cluster.get("k0"), "1000")
        binary = redis.Redis(port=source_port)
        dump = binary.dump("k0")
        binary.close()
        target.execute_command("ASKING")
        target.execute_command("RESTORE-ASKING", "k0", 0, dump)
        source.delete("k0")
        # The client is asked to ask, and does.
        self.assertEqual(cluster.get("k0"), "1000")
        for node in (target, source):
            node.execute_command("CLUSTER SETSLOT", slot, "NODE", target.execute_command("CLUSTER MYID"))
        self.assertEqual(cluster.incr("k0"), 1001)
        self.assertEqual(target.get("k0"), "1001")
        for node in nodes.values():
            node.close()


if __name__ == "__main__":
    unittest.main()
