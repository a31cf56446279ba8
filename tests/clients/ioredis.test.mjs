// ioredis: own commands from scripts, pipelines, transactions, messages, a cluster client.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { Cluster, Redis } from 'ioredis';

import { sleep, startServer, until } from './support/servers.mjs';

let port;
let redis;

before(async () => {
  port = await startServer();
  redis = new Redis(port);
});
after(() => redis.quit());
beforeEach(() => redis.flushall());

const take = `
  local tokens = tonumber(redis.call('GET', KEYS[1]) or ARGV[1])
  if tokens <= 0 then return {0, redis.call('PTTL', KEYS[1])} end
  redis.call('SET', KEYS[1], tokens - 1, 'PX', ARGV[2], 'KEEPTTL' == '' and 'x' or nil)
  return {1, tokens - 1}`.replace(`, 'KEEPTTL' == '' and 'x' or nil`, '');

test('a defined command survives the loss of its script', async () => {
  redis.defineCommand('take', { numberOfKeys: 1, lua: take });
  assert.deepEqual(await redis.take('bucket', 2, 10000), [1, 1]);
  await redis.script('FLUSH');
  assert.deepEqual(await redis.take('bucket', 2, 10000), [1, 0]);
  const [granted, ttl] = await redis.take('bucket', 2, 10000);
  assert.equal(granted, 0);
  assert.ok(ttl > 9000 && ttl <= 10000);
});

test('defined commands in a pipeline and in a transaction are loaded first', async () => {
  redis.defineCommand('add', { numberOfKeys: 1, lua: `return redis.call('INCRBY', KEYS[1], ARGV[1])` });
  redis.defineCommand('shout', { lua: 'return string.upper(ARGV[1])' });
  await redis.script('FLUSH');
  const replies = await redis.pipeline().add('n', 1).add('n', 2).shout(0, 'hey').get('n').exec();
  assert.deepEqual(replies, [[null, 1], [null, 3], [null, 'HEY'], [null, '3']]);
  assert.deepEqual(await redis.multi().set('n', 5).add('n', 2).exec(), [[null, 'OK'], [null, 7]]);
});

test('one failing command of a pipeline leaves the others alone', async () => {
  const replies = await redis.pipeline().set('a', 'x').incr('a').get('a').exec();
  assert.equal(replies[1][0].message, 'ERR value is not an integer or out of range');
  assert.deepEqual([replies[0][1], replies[2][1]], ['OK', 'x']);
});

test('an error of a script names the script', async () => {
  await assert.rejects(redis.eval(`error('boom')`, 0), /ERR user_script:1: boom script: [0-9a-f]{40}/);
  await assert.rejects(redis.eval(`return {err='MY own'}`, 0), { message: 'MY own' });
});

test('buffers come back byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  await redis.set('b', bytes);
  assert.deepEqual(await redis.getBuffer('b'), bytes);
  assert.deepEqual(await redis.evalBuffer('return ARGV[1]', 0, bytes), bytes);
});

test('a watch that is broken answers null', async () => {
  const other = redis.duplicate();
  await redis.watch('k');
  await other.set('k', 1);
  assert.equal(await redis.multi().set('k', 2).exec(), null);
  assert.equal(await redis.get('k'), '1');
  await other.quit();
});

test('subscribers get messages, also those of scripts', async () => {
  const subscriber = redis.duplicate();
  const got = [];
  subscriber.on('message', (channel, message) => got.push([channel, message]));
  subscriber.on('pmessage', (pattern, channel, message) => got.push([pattern, channel, message]));
  assert.equal(await subscriber.subscribe('a', 'b'), 2);
  assert.equal(await subscriber.psubscribe('?'), 3);
  assert.equal(await redis.eval(`return redis.call('PUBLISH', 'a', 'm')`, 0), 2);
  await until(() => got.length === 2, 'the messages');
  assert.deepEqual(got, [['a', 'm'], ['?', 'a', 'm']]);
  assert.equal(await subscriber.unsubscribe('a', 'b'), 1);
  await subscriber.quit();
});

test('a blocked client is woken by a script, and gives up in time', async () => {
  const waiting = redis.duplicate();
  const reply = waiting.blpop('queue', 10);
  await sleep(30);
  await redis.eval(`redis.call('RPUSH', KEYS[1], 'a', 'b') return 1`, 1, 'queue');
  assert.deepEqual(await reply, ['queue', 'a']);
  assert.equal(await waiting.brpoplpush('none', 'other', 0.05), null);
  await waiting.quit();
});

test('a client reconnects after it was killed and goes on', async () => {
  const victim = new Redis(port, { retryStrategy: () => 10 });
  const id = await victim.client('ID');
  assert.equal(await redis.client('KILL', 'ID', id), 1);
  await sleep(30);
  assert.equal(await victim.set('k', 'again'), 'OK');
  assert.notEqual(await victim.client('ID'), id);
  await victim.quit();
});

test('scan streams see every key once', async () => {
  const pipeline = redis.pipeline();
  for (let n = 0; n < 1000; n += 1) pipeline.set(`key:${n}`, n);
  await pipeline.exec();
  const seen = [];
  for await (const keys of redis.scanStream({ match: 'key:*', count: 100 })) seen.push(...keys);
  assert.equal(new Set(seen).size, 1000);
});

test('a thousand scripts at once are answered in order', async () => {
  const sent = Array.from({ length: 1000 }, (_, n) => redis.eval('return tonumber(ARGV[1])', 0, n));
  assert.deepEqual(await Promise.all(sent), Array.from({ length: 1000 }, (_, n) => n));
});

test('offline queue, auto-pipelining and key prefixes', async () => {
  const client = new Redis(port, { enableAutoPipelining: true, keyPrefix: 'app:' });
  client.defineCommand('both', { numberOfKeys: 2, lua: 'return KEYS' });
  const replies = await Promise.all([client.set('a', 1), client.incr('a'), client.get('a'), client.both('a', 'b')]);
  assert.deepEqual(replies, ['OK', 2, '2', ['app:a', 'app:b']]);
  await client.quit();
});

test('the cluster client finds the keys, and scripts keep to one slot', async () => {
  const clusterPort = await startServer({ cluster: true });
  const cluster = new Cluster([{ host: '127.0.0.1', port: clusterPort }]);
  await Promise.all(Array.from({ length: 100 }, (_, n) => cluster.set(`k${n}`, n)));
  assert.equal(await cluster.get('k42'), '42');
  cluster.defineCommand('move', {
    numberOfKeys: 2,
    lua: `redis.call('RPUSH', KEYS[2], redis.call('GETDEL', KEYS[1])) return redis.call('LRANGE', KEYS[2], 0, -1)`,
  });
  await cluster.set('{job}:1', 'x');
  assert.deepEqual(await cluster.move('{job}:1', '{job}:list'), ['x']);
  await assert.rejects(cluster.eval('return 1', 2, 'a', 'b'), /CROSSSLOT Keys in request don't hash to the same slot/);
  await assert.rejects(cluster.eval(`#!lua\nreturn redis.call('GET', 'b')`, 1, 'a'), /do not hash to the same slot/);
  await cluster.quit();
});
