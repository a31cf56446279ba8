// node-redis: scripts and functions as methods, RESP3, transactions, messages, client-side caching.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { MultiErrorReply, WatchError, createClient, createClientPool, createCluster, defineScript } from 'redis';

import { startServer, until } from './support/servers.mjs';

const scripts = {
  add: defineScript({
    NUMBER_OF_KEYS: 1,
    SCRIPT: `return redis.call('INCRBY', KEYS[1], ARGV[1])`,
    parseCommand(parser, key, by) {
      parser.pushKey(key);
      parser.push(String(by));
    },
    transformReply: (reply) => reply,
  }),
};

const functions = {
  shop: {
    add: {
      NUMBER_OF_KEYS: 1,
      parseCommand(parser, key, by) {
        parser.pushKey(key);
        parser.push(String(by));
      },
      transformReply: (reply) => reply,
    },
    peek: {
      IS_READ_ONLY: true,
      NUMBER_OF_KEYS: 1,
      parseCommand(parser, key) {
        parser.pushKey(key);
      },
      transformReply: (reply) => reply,
    },
  },
};

const library = `#!lua name=shop
redis.register_function('add', function(keys, args) return redis.call('INCRBY', keys[1], args[1]) end)
redis.register_function{function_name='peek', callback=function(keys) return redis.call('GET', keys[1]) end, flags={'no-writes'}}`;

for (const RESP of [2, 3]) {
  let port;
  let client;

  before(async () => {
    port = await startServer();
    client = await createClient({ socket: { port }, scripts, functions, RESP }).connect();
  });
  after(() => client.close());
  beforeEach(() => client.flushAll());
  const named = (name) => `${name} (RESP${RESP})`;

  test(named('a defined script is sent again when the server has lost it'), async () => {
    assert.equal(await client.add('n', 5), 5);
    await client.scriptFlush();
    assert.equal(await client.add('n', 1), 6);
    await client.scriptFlush();
    assert.deepEqual(await client.multi().set('n', '1').add('n', 2).exec(), ['OK', 3]);
  });

  test(named('functions are called as methods'), async () => {
    await client.functionLoad(library, { REPLACE: true });
    assert.equal(await client.shop.add('n', 4), 4);
    assert.equal(await client.shop.peek('n'), '4');
    const [{ library_name: name }] = await client.functionList();
    assert.equal(name, 'shop');
    await client.functionFlush();
    await assert.rejects(client.shop.add('n', 1), /Function not found/);
  });

  test(named('replies have their types'), async () => {
    await client.hSet('h', { a: '1', b: '2' });
    assert.deepEqual({ ...(await client.hGetAll('h')) }, { a: '1', b: '2' });
    await client.zAdd('z', [{ score: 1.5, value: 'm' }]);
    assert.deepEqual(await client.zRangeWithScores('z', 0, -1), [{ value: 'm', score: 1.5 }]);
    assert.equal(await client.zScore('z', 'none'), null);
    assert.deepEqual(await client.eval('return {1, "two", {3, false}, nil, 5}', { keys: [], arguments: [] }), [1, 'two', [3, null]]);
    await client.xAdd('s', '*', { f: 'v' });
    const [stream] = await client.xRead({ key: 's', id: '0' });
    assert.deepEqual({ ...stream.messages[0].message }, { f: 'v' });
    assert.equal((await client.configGet('maxmemory')).maxmemory, '0');
  });

  test(named('transactions: watch, errors, and what was queued'), async () => {
    const other = client.duplicate();
    await other.connect();
    await client.watch('k');
    await other.set('k', '1');
    await assert.rejects(client.multi().set('k', '2').exec(), WatchError);
    await assert.rejects(client.multi().set('t', 'x').incr('t').exec(), MultiErrorReply);
    other.destroy();
  });

  test(named('messages of channels, patterns and shards'), async () => {
    const subscriber = client.duplicate();
    await subscriber.connect();
    const got = [];
    await subscriber.subscribe('c', (message) => got.push(message));
    await subscriber.pSubscribe('c*', (message, channel) => got.push(`${channel}:${message}`));
    await subscriber.sSubscribe('shard', (message) => got.push(`s:${message}`));
    await client.publish('c', 'hi');
    await client.sPublish('shard', 'ho');
    await until(() => got.length === 3, 'the messages');
    assert.deepEqual(got, ['hi', 'c:hi', 's:ho']);
    await subscriber.unsubscribe('c');
    subscriber.destroy();
  });

  test(named('a pool serves waiting and working commands side by side'), async () => {
    const pool = await createClientPool({ socket: { port }, RESP }).connect();
    const waiting = pool.blPop('q', 5);
    await pool.set('k', 'v');
    await pool.rPush('q', 'x');
    assert.deepEqual({ ...(await waiting) }, { key: 'q', element: 'x' });
    await pool.close();
  });

  test(named('iterators see every key and member'), async () => {
    await client.mSet(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key:${n}`, 'v'])));
    const seen = new Set();
    for await (const keys of client.scanIterator({ MATCH: 'key:*' })) keys.forEach((key) => seen.add(key));
    assert.equal(seen.size, 500);
  });
}

test('client-side caching is told when a script changes a key', async () => {
  const port = await startServer();
  const cached = await createClient({ socket: { port }, RESP: 3, clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: 'LRU' } }).connect();
  const other = await createClient({ socket: { port } }).connect();
  await other.set('k', 'old');
  assert.equal(await cached.get('k'), 'old');
  assert.equal(await cached.get('k'), 'old');
  await other.eval(`redis.call('SET', KEYS[1], 'new')`, { keys: ['k'], arguments: [] });
  await until(async () => (await cached.get('k')) === 'new', 'the invalidation');
  await Promise.all([cached.close(), other.close()]);
});

test('the cluster client works', async () => {
  const port = await startServer({ cluster: true });
  const cluster = await createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }], scripts }).connect();
  await Promise.all(Array.from({ length: 50 }, (_, n) => cluster.set(`k${n}`, String(n))));
  assert.equal(await cluster.get('k7'), '7');
  assert.equal(await cluster.add('{a}n', 2), 2);
  await cluster.close();
});
