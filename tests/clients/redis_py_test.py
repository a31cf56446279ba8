"""redis-py: scripts, pipelines, WATCH, locks, messages, RESP3, functions, a cluster client, asyncio."""

import asyncio
import threading
import time
import unittest
import uuid

import redis
import redis.asyncio
from redis.exceptions import (
    ExecAbortError,
    LockError,
    LockNotOwnedError,
    NoScriptError,
    ResponseError,
    WatchError,
)

from servers import Server

INCREMENT_BY = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


class WithServer(unittest.TestCase):
    cluster = False

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cluster=cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.client = self.connect()
        self.client.flushall()
        self.addCleanup(self.client.close)

    def connect(self, **options):
        options = {"decode_responses": True, **options}
        return redis.Redis(port=self.server.port, socket_timeout=10, **options)


class Scripts(WithServer):
    def test_a_registered_script_is_loaded_again_when_the_server_has_lost_it(self):
        script = self.client.register_script(INCREMENT_BY)
        self.assertEqual(script(keys=["n"], args=[5]), 5)
        self.client.script_flush()
        self.assertEqual(script(keys=["n"], args=[2]), 7)
        self.assertEqual(self.client.script_exists(script.sha, "0" * 40), [True, False])

    def test_a_registered_script_in_a_pipeline_is_loaded_first(self):
        script = self.client.register_script(INCREMENT_BY)
        self.client.script_flush()
        with self.client.pipeline() as pipe:
            pipe.set("n", 1)
            script(keys=["n"], args=[1], client=pipe)
            script(keys=["n"], args=[10], client=pipe)
            self.assertEqual(pipe.execute(), [True, 2, 12])

    def test_errors_of_scripts_arrive_as_the_librarys_own_kinds(self):
        with self.assertRaises(NoScriptError):
            self.client.evalsha("f" * 40, 0)
        with self.assertRaisesRegex(ResponseError, "oh dear"):
            self.client.eval("return redis.error_reply('oh dear')", 0)
        with self.assertRaisesRegex(ResponseError, "WRONGTYPE"):
            self.client.eval("redis.call('LPUSH', KEYS[1], 1) return redis.call('GET', KEYS[1])", 1, "list")
        self.assertEqual(self.client.lrange("list", 0, -1), ["1"])

    def test_binary_arguments_come_back_as_they_went(self):
        client = self.connect(decode_responses=False)
        self.addCleanup(client.close)
        every_byte = bytes(range(256)) * 3
        self.assertEqual(client.eval("return ARGV[1] .. KEYS[1]", 1, b"\r\n", every_byte), every_byte + b"\r\n")

    def test_functions_are_loaded_listed_called_and_carried_to_another_server(self):
        code = "#!lua name=shop\nredis.register_function('add', function(keys, args) return redis.call('INCRBY', keys[1], args[1]) end)\n"
        code += "redis.register_function{function_name='peek', callback=function(keys) return redis.call('GET', keys[1]) end, flags={'no-writes'}}"
        self.client.function_flush()
        self.assertEqual(self.client.function_load(code), "shop")
        self.assertEqual(self.client.fcall("add", 1, "n", 3), 3)
        self.assertEqual(self.client.fcall_ro("peek", 1, "n"), "3")
        with self.assertRaisesRegex(ResponseError, "already exists"):
            self.client.function_load(code)
        binary = self.connect(decode_responses=False)
        self.addCleanup(binary.close)
        dump = binary.function_dump()
        self.client.function_flush()
        with self.assertRaisesRegex(ResponseError, "Function not found"):
            self.client.fcall("add", 1, "n", 3)
        binary.function_restore(dump)
        self.assertEqual(self.client.fcall("add", 1, "n", 4), 7)
        self.assertIn("shop", str(self.client.function_list(withcode=True)))
        self.assertIn("running_script", str(self.client.function_stats()))

    def test_a_running_script_can_be_killed_by_another_client(self):
        self.client.config_set("busy-reply-threshold", 20)
        caught = []

        def loop():
            client = self.connect()
            try:
                client.eval("while true do end", 0)
            except ResponseError as error:
                caught.append(str(error))
            client.close()

        thread = threading.Thread(target=loop)
        thread.start()
        time.sleep(0.3)
        with self.assertRaisesRegex(ResponseError, "busy"):
            self.client.get("x")
        self.client.script_kill()
        thread.join(10)
        self.assertIn("Script killed by user", caught[0])
        self.assertIsNone(self.client.get("x"))
        self.client.config_set("busy-reply-threshold", 5000)


class Transactions(WithServer):
    def test_the_watch_helper_tries_again_until_nobody_interferes(self):
        self.client.set("n", 1)
        other = self.connect()
        self.addCleanup(other.close)
        tries = []

        def double(pipe):
            tries.append(1)
            n = int(pipe.get("n"))
            if len(tries) < 3:
                other.set("n", n + 1)
            pipe.multi()
            pipe.set("n", n * 2)

        self.assertEqual(self.client.transaction(double, "n"), [True])
        self.assertEqual((self.client.get("n"), len(tries)), ("6", 3))

    def test_a_broken_watch_is_told_and_an_unwatched_one_is_not(self):
        with self.client.pipeline() as pipe:
            pipe.watch("k")
            self.client.set("k", 1)
            pipe.multi()
            pipe.get("k")
            with self.assertRaises(WatchError):
                pipe.execute()
            pipe.watch("k")
            pipe.unwatch()
            self.client.set("k", 2)
            pipe.get("k")
            self.assertEqual(pipe.execute(), ["2"])

    def test_an_error_in_the_middle_does_not_keep_the_rest_from_running(self):
        self.client.set("text", "a")
        pipe = self.client.pipeline()
        pipe.set("a", 1).lpush("text", 2).incr("a")
        replies = pipe.execute(raise_on_error=False)
        self.assertEqual((replies[0], replies[2]), (True, 2))
        self.assertIsInstance(replies[1], ResponseError)
        with self.assertRaisesRegex(ResponseError, r"Command # 2 \(LPUSH text 2\) of pipeline caused error"):
            self.client.pipeline().set("a", 1).lpush("text", 2).execute()

    def test_a_command_that_cannot_be_queued_aborts_the_transaction(self):
        pipe = self.client.pipeline()
        pipe.set("a", 1)
        pipe.execute_command("NOSUCH")
        with self.assertRaises((ExecAbortError, ResponseError)):
            pipe.execute()
        self.assertIsNone(self.client.get("a"))

    def test_ten_thousand_commands_in_one_pipeline_are_answered_in_order(self):
        pipe = self.client.pipeline(transaction=False)
        for n in range(10_000):
            pipe.rpush("list", n)
        self.assertEqual(pipe.execute(), list(range(1, 10_001)))


class Locks(WithServer):
    def test_a_lock_is_held_by_one_and_freed_only_by_its_owner(self):
        first = self.client.lock("lock", timeout=10)
        second = self.client.lock("lock", timeout=10, blocking=False)
        self.assertTrue(first.acquire())
        self.assertFalse(second.acquire())
        self.assertTrue(first.locked() and first.owned())
        with self.assertRaises(LockError):
            second.release()
        first.release()
        self.assertTrue(second.acquire())
        second.release()

    def test_a_lock_is_extended_and_renewed(self):
        lock = self.client.lock("lock", timeout=10)
        lock.acquire()
        self.assertTrue(lock.extend(10))
        self.assertTrue(18_000 < self.client.pttl("lock") <= 20_000)
        self.assertTrue(lock.extend(5, replace_ttl=True))
        self.assertTrue(4_000 < self.client.pttl("lock") <= 5_000)
        self.assertTrue(lock.reacquire())
        self.assertTrue(9_000 < self.client.pttl("lock") <= 10_000)
        lock.release()

    def test_a_lock_that_ran_out_is_not_freed(self):
        lock = self.client.lock("lock", timeout=0.05)
        lock.acquire()
        time.sleep(0.1)
        with self.assertRaises(LockNotOwnedError):
            lock.release()

    def test_who_waits_for_a_lock_gets_it_when_it_is_freed(self):
        lock = self.client.lock("lock", timeout=10)
        lock.acquire()
        timer = threading.Timer(0.15, lock.release)
        lock.local.token = lock.local.token
        timer = threading.Timer(0.15, lambda: self.client.delete("lock"))
        timer.start()
        with self.client.lock("lock", timeout=10, blocking_timeout=5, sleep=0.02):
            self.assertTrue(self.client.exists("lock"))
        timer.join()


class Messages(WithServer):
    def receive(self, pubsub, count):
        messages = []
        deadline = time.monotonic() + 10
        while len(messages) < count and time.monotonic() < deadline:
            message = pubsub.get_message(timeout=0.5)
            if message:
                messages.append((message["type"], message["channel"], message["data"]))
        return messages

    def test_channels_and_patterns_in_both_protocols(self):
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                client = self.connect(protocol=protocol)
                with client.pubsub() as pubsub:
                    pubsub.subscribe("news")
                    pubsub.psubscribe("n*")
                    self.assertEqual(
                        self.receive(pubsub, 2), [("subscribe", "news", 1), ("psubscribe", "n*", 2)]
                    )
                    self.assertEqual(self.client.eval("return redis.call('PUBLISH', 'news', 'hi')", 0), 2)
                    self.assertEqual(
                        self.receive(pubsub, 2), [("message", "news", "hi"), ("pmessage", "news", "hi")]
                    )
                    self.assertEqual(self.client.pubsub_numsub("news"), [("news", 1)])
                    self.assertEqual(self.client.pubsub_numpat(), 1)
                    pubsub.ping()
                    # In RESP3 the answer is a plain one, which the library hands over as such.
                    pong = pubsub.parse_response()
                    self.assertIn(pong, (["pong", ""], "PONG"))
                    pubsub.unsubscribe()
                    pubsub.punsubscribe()
                    self.assertEqual(
                        self.receive(pubsub, 2), [("unsubscribe", "news", 1), ("punsubscribe", "n*", 0)]
                    )
                client.close()

    def test_a_thread_of_handlers_gets_every_message(self):
        got = []
        pubsub = self.client.pubsub(ignore_subscribe_messages=True)
        pubsub.subscribe(jobs=lambda message: got.append(message["data"]))
        thread = pubsub.run_in_thread(sleep_time=0.01)
        time.sleep(0.1)
        for n in range(100):
            self.client.publish("jobs", n)
        deadline = time.monotonic() + 10
        while len(got) < 100 and time.monotonic() < deadline:
            time.sleep(0.01)
        thread.stop()
        thread.join()
        self.assertEqual(got, [str(n) for n in range(100)])

    def test_expired_keys_are_announced(self):
        self.client.config_set("notify-keyspace-events", "Ex")
        with self.client.pubsub() as pubsub:
            pubsub.subscribe("__keyevent@0__:expired")
            self.receive(pubsub, 1)
            self.client.set("k", 1, px=30)
            self.assertEqual(self.receive(pubsub, 1), [("message", "__keyevent@0__:expired", "k")])


class Types(WithServer):
    def test_resp3_brings_maps_sets_doubles_and_booleans(self):
        client = self.connect(protocol=3)
        self.addCleanup(client.close)
        client.hset("h", mapping={"a": "1", "b": "2"})
        client.sadd("s", "x")
        client.zadd("z", {"m": 1.5})
        self.assertEqual(client.hgetall("h"), {"a": "1", "b": "2"})
        self.assertEqual(client.smembers("s"), {"x"})
        self.assertEqual(client.zrange("z", 0, -1, withscores=True), [["m", 1.5]])
        self.assertEqual(client.zscore("z", "m"), 1.5)
        self.assertEqual(client.eval("return {double=3.25}", 0), 3.25)
        self.assertEqual(client.eval("return {map={k='v'}}", 0), {"k": "v"})
        self.assertEqual(client.eval("redis.setresp(3) return redis.call('HGETALL', KEYS[1])", 1, "h"), {"a": "1", "b": "2"})
        self.assertIs(client.eval("redis.setresp(3) return true", 0), True)
        self.assertIn(client.config_get("maxmemory"), ({"maxmemory": "0"},))

    def test_the_everyday_commands_of_every_family(self):
        client = self.client
        self.assertTrue(client.set("k", "v", ex=100, nx=True))
        self.assertEqual(client.getex("k", px=5000), "v")
        self.assertEqual(client.mset({"a": 1, "b": 2}), True)
        self.assertEqual(client.mget("a", "b", "none"), ["1", "2", None])
        self.assertEqual(client.incrbyfloat("f", 0.5), 0.5)
        self.assertEqual(client.rpush("l", *range(5)), 5)
        self.assertEqual(client.lmove("l", "m", "LEFT", "RIGHT"), "0")
        self.assertEqual(client.blpop(["none", "l"], timeout=1), ("l", "1"))
        self.assertEqual(client.lmpop(2, "none", "l", direction="LEFT", count=2), ["l", ["2", "3"]])
        self.assertEqual(client.zadd("z", {"a": 1, "b": 2}, gt=True, ch=True), 2)
        self.assertEqual(client.zrangebyscore("z", "-inf", "(2", withscores=True), [("a", 1.0)])
        self.assertEqual(client.bzpopmin("z", timeout=1), ("z", "a", 1.0))
        self.assertEqual(client.hincrby("h", "n", 3), 3)
        self.assertEqual(client.hexpire("h", 100, "n"), [1])
        self.assertEqual(client.pfadd("p", "a", "b"), 1)
        self.assertEqual(client.geoadd("g", (13.361389, 38.115556, "Palermo")), 1)
        self.assertEqual(client.geosearch("g", longitude=15, latitude=37, radius=200, unit="km"), ["Palermo"])
        self.assertEqual(client.setbit("bits", 7, 1), 0)
        self.assertEqual(client.bitfield("bits").incrby("u8", 0, 1).execute(), [2])
        self.assertEqual(sorted(client.scan_iter(match="[ab]")), ["a", "b"])
        self.assertEqual(client.sort("m", desc=True), ["0"])
        self.assertEqual(client.object("encoding", "a"), "int")
        self.assertEqual(client.dbsize(), len(client.keys("*")))

    def test_streams_and_consumer_groups(self):
        client = self.client
        first = client.xadd("s", {"n": 1})
        client.xgroup_create("s", "g", id="0")
        client.xadd("s", {"n": 2}, maxlen=10, approximate=False)
        [[_, entries]] = client.xreadgroup("g", "c", {"s": ">"}, count=10)
        self.assertEqual([fields for _, fields in entries], [{"n": "1"}, {"n": "2"}])
        self.assertEqual(client.xpending("s", "g")["pending"], 2)
        self.assertEqual(client.xack("s", "g", first), 1)
        self.assertEqual(client.xautoclaim("s", "g", "d", min_idle_time=0)[1][0][1], {"n": "2"})
        self.assertEqual(client.xinfo_stream("s")["length"], 2)
        self.assertEqual(client.xinfo_groups("s")[0]["name"], "g")
        self.assertEqual(client.xread({"s": "$"}, block=20), [])

    def test_what_tools_ask_about_the_server(self):
        client = self.client
        info = client.info("everything")
        self.assertIn("redis_version", info)
        self.assertIsInstance(info["used_memory"], int)
        self.assertEqual(client.client_id(), client.client_info()["id"])
        client.client_setname("me")
        self.assertEqual(client.client_getname(), "me")
        self.assertIn("me", [entry["name"] for entry in client.client_list()])
        self.assertEqual(client.command_count(), len(client.command()))
        self.assertEqual(client.command_getkeys("EVAL", "x", 2, "a", "b", "c"), ["a", "b"])
        self.assertEqual(client.acl_whoami(), "default")
        self.assertGreater(client.memory_usage("none") or 1, 0)
        self.assertIsInstance(client.slowlog_get(), list)
        self.assertEqual(len(client.time()), 2)
        self.assertEqual(client.wait(0, 10), 0)
        self.assertEqual(client.echo("x"), "x")
        self.assertTrue(client.reset() in ("RESET", True))


class Cluster(WithServer):
    cluster = True

    def connect(self, **options):
        options = {"decode_responses": True, **options}
        return redis.cluster.RedisCluster(host="127.0.0.1", port=self.server.port, **options)

    def test_a_cluster_client_finds_its_keys_and_runs_scripts(self):
        client = self.client
        self.assertEqual(client.mset_nonatomic({f"k{n}": n for n in range(50)}), [True] * 50 or True)
        self.assertEqual(client.mget_nonatomic([f"k{n}" for n in range(50)]), [str(n) for n in range(50)])
        script = client.register_script("return redis.call('INCRBY', KEYS[1], redis.call('GET', KEYS[2]))")
        client.mset({"{t}a": 1, "{t}b": 2})
        self.assertEqual(script(keys=["{t}a", "{t}b"]), 3)
        with self.assertRaises(redis.exceptions.RedisClusterException):
            client.eval("return 1", 2, "a", "b")
        with client.pipeline() as pipe:
            for n in range(20):
                pipe.incr(f"k{n}")
            self.assertEqual(pipe.execute(), [n + 1 for n in range(20)])
        self.assertEqual(client.cluster_keyslot("{t}a"), 15891)
        self.assertEqual(client.cluster_info(target_nodes="random")["cluster_state"], "ok")


class Asyncio(WithServer):
    def test_a_hundred_tasks_share_a_pool_and_lose_no_update(self):
        async def work():
            client = redis.asyncio.Redis(port=self.server.port, decode_responses=True)
            script = client.register_script(INCREMENT_BY)

            async def one():
                await script(keys=["n"], args=[1])
                async with client.lock("lock", timeout=10, sleep=0.01):
                    await client.set("m", int(await client.get("m") or 0) + 1)

            await asyncio.gather(*(one() for _ in range(100)))
            values = await client.mget("n", "m")
            await client.aclose()
            return values

        self.assertEqual(asyncio.run(work()), ["100", "100"])


class Versions(unittest.TestCase):
    def test_every_version_is_spoken_to_without_settings(self):
        for version in ("7.0.15", "7.2.4", "7.4.1", "8.0.2", "8.2.3", "8.4.0", "8.6.3"):
            with self.subTest(version=version), Server(version.rsplit(".", 1)[0]) as server:
                client = redis.Redis(port=server.port, decode_responses=True)
                token = uuid.uuid4().hex
                self.assertTrue(client.set("k", token))
                self.assertEqual(client.register_script("return redis.call('GET', KEYS[1])")(keys=["k"]), token)
                client.close()
