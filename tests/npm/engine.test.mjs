// What the package does beyond the README's examples.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Redis } from "ioredis";
import { createClient } from "redis";

import { ClosedError, EngineLostError, ReplyError, WaitingError, createServer, explore, run } from "../../npm/dist/index.js";
import { guard } from "../../npm/dist/engine.js";
import { connector, listen } from "../../npm/dist/node.js";

/** What a call throws. */
function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not throw");
}

test("replies are values of JavaScript, in both protocols", () => {
  const server = createServer();
  const check = (protocol, script, wanted) => assert.deepEqual(server.client({ protocol }).call("EVAL", script, 0), wanted);
  check(2, "return {1, 'x', false, {ok='fine'}, {2, {}}}", [1, "x", null, "fine", [2, []]]);
  check(2, "return 9007199254740993", 9007199254740992n);
  check(2, "return -7.9", -7);
  check(3, "redis.setresp(3) return {double=0.5}", 0.5);
  check(3, "redis.setresp(3) return true", true);
  check(3, "redis.setresp(3) return {map={a=1}}", new Map([["a", 1]]));
  check(3, "redis.setresp(3) return {set={a=true}}", new Set(["a"]));
  check(3, "redis.setresp(3) return {big_number='12345678901234567890'}", 12345678901234567890n);
  check(3, "return {}", []);
  check(2, "return 'gr\\195\\188n'", "grün");
});

test("errors are thrown, but within an array they are values", () => {
  const client = createServer().client();
  client.call("SET", "k", "text");
  const error = thrown(() => client.call("INCR", "k"));
  assert.ok(error instanceof ReplyError && error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message], ["ReplyError", "ERR", "ERR value is not an integer or out of range"]);
  client.call("MULTI");
  client.call("INCR", "k");
  client.call("GET", "k");
  const [first, second] = client.call("EXEC");
  assert.ok(first instanceof ReplyError);
  assert.equal(second, "text");
});

test("bytes come back as they went, and arguments that are none are refused before they are sent", () => {
  const server = createServer();
  const client = server.client({ binary: true });
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  client.call("SET", bytes, bytes);
  assert.deepEqual(client.call("GET", Buffer.from(bytes)), bytes);
  for (const word of [true, null, undefined, NaN, Infinity, [], {}]) {
    assert.ok(thrown(() => client.call("SET", "k", word)) instanceof TypeError);
  }
  assert.equal(server.client().call("EXISTS", "k"), 0);
});

test("a wait that call meets is not lost, and commands behind it wait their turn", async () => {
  const server = createServer();
  const [client, other] = [server.client(), server.client()];
  const error = thrown(() => client.call("BLPOP", "q", 0));
  assert.ok(error instanceof WaitingError);
  const behind = client.send("PING");
  assert.ok(!error.pending.done && !behind.done);
  assert.match(thrown(() => behind.value).message, /no reply yet/);
  other.call("RPUSH", "q", "x");
  assert.deepEqual([error.pending.value, behind.value], [["q", "x"], "PONG"]);
  assert.deepEqual(await error.pending.promise(), ["q", "x"]);
});

test("a script without an end is BUSY for others after five seconds of the server, and can be killed", () => {
  const server = createServer();
  const [looping, other] = [server.client(), server.client()];
  const loop = looping.send("EVAL", "while true do end", 0);
  server.clock.advance(5000);
  assert.equal(thrown(() => other.call("PING")).code, "BUSY");
  assert.equal(other.call("SCRIPT", "KILL"), "OK");
  server.clock.advance(1);
  assert.match(thrown(() => loop.value).message, /Script killed by user/);
});

test("a command that is never answered ends without a value", () => {
  const client = createServer().client();
  assert.equal(client.call("CLIENT", "REPLY", "OFF"), undefined);
  assert.equal(client.call("SET", "k", 1), undefined);
  assert.equal(client.call("CLIENT", "REPLY", "ON"), "OK");
  assert.equal(client.call("GET", "k"), "1");
});

test("messages can be heard as they come, and whoever hears may act", () => {
  const server = createServer();
  const [listener, other] = [server.client({ protocol: 3 }), server.client()];
  const heard = [];
  listener.onMessage = ([, , text]) => heard.push(other.call("APPEND", "log", text));
  listener.call("SUBSCRIBE", "news");
  assert.equal(other.call("PUBLISH", "news", "abc"), 1);
  assert.equal(other.call("PUBLISH", "news", "de"), 1);
  assert.deepEqual(heard, [3, 5]);
});

test("closed connections say so, and a server goes on after SHUTDOWN only by a restart", () => {
  const server = createServer();
  const [client, other] = [server.client(), server.client()];
  const wait = client.send("BLPOP", "q", 0);
  client.close();
  assert.ok(thrown(() => wait.value) instanceof ClosedError);
  assert.ok(thrown(() => client.call("PING")) instanceof ClosedError);
  const end = other.send("SHUTDOWN", "NOSAVE");
  assert.ok(thrown(() => end.value) instanceof ClosedError);
  assert.ok(!other.isOpen);
  assert.ok(thrown(() => server.client()) instanceof ClosedError);
  server.restart();
  assert.equal(server.client().call("PING"), "PONG");
});

test("the clock keeps to milliseconds, does not run backwards, and says what it can't be", () => {
  const server = createServer({ now: 1000 });
  server.clock.advance(0.5);
  assert.deepEqual([server.clock.now, server.clock.nowMicros], [1000, 1000500n]);
  server.clock.set(1000);
  for (const move of [() => server.clock.set(999), () => server.clock.advance(-1), () => server.clock.advance(NaN)]) {
    assert.ok(thrown(move) instanceof RangeError);
  }
  assert.ok(thrown(() => createServer({ now: -1 })) instanceof RangeError);
});

test("options that can't be had are named", () => {
  const check = (options, why) => assert.match(thrown(() => createServer(options)).message, why);
  check({ version: "6.2" }, /no Redis "6.2" is offered; there are 7\.0\.15,/);
  check({ config: { "no-such": 1 } }, /no parameter is called 'no-such'/);
  check({ cluster: "nonsense" }, /nonsense/);
  assert.throws(() => run("", { version: "1" }), TypeError);
  assert.throws(() => explore("", { replies: "some" }), /none, last or all/);
});

test("config and cluster mode are in force from the start", () => {
  const secret = createServer({ config: { requirepass: "secret" } }).client();
  assert.equal(thrown(() => secret.call("GET", "k")).code, "NOAUTH");
  const cluster = createServer({ cluster: true }).client();
  assert.equal(thrown(() => cluster.call("MGET", "a", "b")).code, "CROSSSLOT");
});

test("a clock that follows fake timers lets keys go and waits end with them", async () => {
  mock.timers.enable({ apis: ["Date", "setTimeout"], now: 5000 });
  try {
    const server = createServer({ now: Date.now });
    const [client, other] = [server.client(), server.client()];
    client.call("SET", "k", "v", "PX", 100);
    const wait = other.send("BLPOP", "q", 1);
    mock.timers.tick(101);
    assert.equal(client.call("GET", "k"), null);
    assert.ok(!wait.done);
    mock.timers.tick(900);
    assert.equal(await wait.promise(), null);
    assert.ok(thrown(() => server.clock.advance(1)) instanceof TypeError);
  } finally {
    mock.timers.reset();
  }
});

test("after the engine is lost its servers say so, and new ones work", () => {
  const old = createServer().client();
  const trap = () => guard(0, () => { throw new WebAssembly.RuntimeError("unreachable"); });
  assert.ok(thrown(trap) instanceof EngineLostError);
  assert.ok(thrown(() => old.call("PING")) instanceof EngineLostError);
  assert.equal(createServer().client().call("PING"), "PONG");
  assert.ok(thrown(() => old.call("PING")) instanceof EngineLostError);
});

test("ioredis works in process: pipelines, transactions, own commands, messages, blocking", async () => {
  const server = createServer();
  const redis = new Redis({ Connector: connector(server) });
  redis.defineCommand("add", { numberOfKeys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" });
  assert.deepEqual(await redis.pipeline().add("n", 2).add("n", 3).exec(), [[null, 2], [null, 5]]);
  assert.deepEqual(await redis.multi().get("n").incr("n").exec(), [[null, "5"], [null, 6]]);
  const listener = redis.duplicate();
  await listener.subscribe("news");
  const message = new Promise((resolve) => listener.once("message", (channel, text) => resolve([channel, text])));
  await redis.publish("news", "hi");
  assert.deepEqual(await message, ["news", "hi"]);
  const worker = redis.duplicate();
  const job = worker.blpop("jobs", 1);
  await redis.rpush("jobs", "a");
  assert.deepEqual(await job, ["jobs", "a"]);
  for (const client of [redis, listener, worker]) await client.quit();
});

test("ioredis connects again after a restart", async () => {
  const server = createServer();
  const redis = new Redis({ Connector: connector(server), retryStrategy: () => 1 });
  await redis.set("k", "v");
  server.restart();
  assert.equal(await redis.get("k"), "v");
  await redis.quit();
});

test("node-redis works in process, over a path: RESP3, scripts, messages", async () => {
  const server = createServer();
  const { path, close } = await listen(server);
  const redis = createClient({ socket: { path } });
  await redis.connect();
  await redis.hSet("h", { a: "1" });
  assert.deepEqual({ ...(await redis.hGetAll("h")) }, { a: "1" });
  assert.equal(await redis.eval("return ARGV[1]", { arguments: ["x"] }), "x");
  const listener = redis.duplicate();
  await listener.connect();
  const message = new Promise((resolve) => void listener.subscribe("news", resolve));
  while ((await redis.publish("news", "hi")) === 0);
  assert.equal(await message, "hi");
  listener.destroy();
  redis.destroy();
  await close();
});
