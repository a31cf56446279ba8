// What people build on scripts: queues, limiters and locks, each from its own package, run to the end.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, beforeEach, test } from 'node:test';

import { Queue, QueueEvents, Worker, FlowProducer } from 'bullmq';
import { Redis } from 'ioredis';
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';

import { sleep, startServer, until } from './support/servers.mjs';

const require = createRequire(import.meta.url);
const Redlock = require('redlock');
const BeeQueue = require('bee-queue');
const Bull = require('bull');

let port;
let redis;

before(async () => {
  port = await startServer();
  redis = new Redis(port, { maxRetriesPerRequest: null });
});
after(() => redis.quit());
beforeEach(() => redis.flushall());

const connection = () => ({ host: '127.0.0.1', port });

test('BullMQ: plain, delayed, prioritised, retried and bulk jobs all complete', async () => {
  const queue = new Queue('jobs', { connection: connection() });
  const done = [];
  const failures = new Map();
  const worker = new Worker(
    'jobs',
    async (job) => {
      if (job.name === 'flaky' && job.attemptsMade < 2) {
        failures.set(job.id, (failures.get(job.id) ?? 0) + 1);
        throw new Error('not yet');
      }
      await job.updateProgress(50);
      await job.log(`did ${job.name}`);
      done.push(job.name);
      return job.data.n * 2;
    },
    { connection: connection(), concurrency: 4 },
  );
  const events = new QueueEvents('jobs', { connection: connection() });
  await events.waitUntilReady();
  const delayed = await queue.add('delayed', { n: 1 }, { delay: 300 });
  const flaky = await queue.add('flaky', { n: 2 }, { attempts: 3, backoff: { type: 'fixed', delay: 50 } });
  await queue.add('urgent', { n: 3 }, { priority: 1 });
  await queue.addBulk(Array.from({ length: 20 }, (_, n) => ({ name: 'bulk', data: { n } })));
  assert.equal(await delayed.waitUntilFinished(events, 10_000), 2);
  assert.equal(await flaky.waitUntilFinished(events, 10_000), 4);
  await until(() => done.length === 23, 'the end of all jobs');
  assert.equal(failures.get(flaky.id), 2);
  const counts = await queue.getJobCounts('completed', 'failed', 'delayed', 'wait', 'active', 'prioritized');
  assert.deepEqual(counts, { completed: 23, failed: 0, delayed: 0, wait: 0, active: 0, prioritized: 0 });
  assert.equal((await queue.getJobLogs(flaky.id)).logs.at(-1), 'did flaky');
  await worker.close();
  await events.close();
  await queue.obliterate({ force: true });
  assert.deepEqual(await redis.keys('bull:jobs:*'), []);
  await queue.close();
});

test('BullMQ: a rate limit spreads the jobs out', async () => {
  const queue = new Queue('slow', { connection: connection() });
  await queue.addBulk(Array.from({ length: 6 }, (_, n) => ({ name: 'job', data: { n } })));
  const times = [];
  const worker = new Worker('slow', async () => times.push(Date.now()), {
    connection: connection(),
    limiter: { max: 2, duration: 300 },
  });
  await until(() => times.length === 6, 'the end of all jobs');
  assert.ok(times[5] - times[0] >= 500, `six jobs took ${times[5] - times[0]} ms`);
  await worker.close();
  await queue.close();
});

test('BullMQ: parents wait for children, repeated jobs come again, failed ones are kept and retried', async () => {
  const flow = new FlowProducer({ connection: connection() });
  const queue = new Queue('tree', { connection: connection() });
  const order = [];
  let mayFail = true;
  const worker = new Worker(
    'tree',
    async (job) => {
      if (job.name === 'fails' && mayFail) throw new Error('broken');
      order.push(job.name);
      return job.name === 'parent' ? Object.values(await job.getChildrenValues()).sort() : job.name;
    },
    { connection: connection() },
  );
  const { job } = await flow.add({
    name: 'parent',
    queueName: 'tree',
    children: [
      { name: 'a', queueName: 'tree' },
      { name: 'b', queueName: 'tree' },
    ],
  });
  await until(() => order.includes('parent'), 'the parent');
  await until(async () => (await queue.getJob(job.id)).returnvalue, 'its result');
  assert.deepEqual((await queue.getJob(job.id)).returnvalue, ['a', 'b']);
  const failing = await queue.add('fails', {});
  await until(() => failing.isFailed(), 'the failure');
  mayFail = false;
  await failing.retry();
  await until(() => failing.isCompleted(), 'the second try');
  await queue.upsertJobScheduler('tick', { every: 100 }, { name: 'tick' });
  await until(() => order.filter((name) => name === 'tick').length >= 3, 'three ticks');
  assert.equal(await queue.removeJobScheduler('tick'), true);
  await queue.pause();
  await queue.add('later', {});
  assert.equal((await queue.getJobCounts('paused', 'wait')).paused + (await queue.getJobCounts('wait')).wait, 1);
  await queue.drain();
  await Promise.all([worker.close(), flow.close()]);
  await queue.close();
});

test('BullMQ: a job whose worker has died is found stalled and run by another', async () => {
  const queue = new Queue('stall', { connection: connection() });
  await queue.add('job', {});
  const dead = new Worker('stall', null, { connection: connection(), lockDuration: 200, autorun: false });
  const job = await dead.getNextJob('token');
  assert.equal(job.name, 'job');
  let finished = 0;
  const worker = new Worker('stall', async () => (finished += 1), { connection: connection(), stalledInterval: 200, lockDuration: 200 });
  await until(() => finished === 1, 'the stalled job');
  await Promise.all([dead.close(true), worker.close()]);
  await queue.close();
});

test('Bull, its predecessor: delayed and retried jobs complete', async () => {
  const queue = new Bull('old', { redis: connection() });
  let tries = 0;
  queue.process(async (job) => {
    tries += 1;
    if (tries < 2) throw new Error('not yet');
    return job.data.n + 1;
  });
  const job = await queue.add({ n: 1 }, { delay: 50, attempts: 3, backoff: 20 });
  assert.equal(await job.finished(), 2);
  await queue.close();
});

test('Bee-Queue: jobs complete, retries included', async () => {
  const queue = new BeeQueue('bees', { redis: connection(), activateDelayedJobs: true });
  let tries = 0;
  queue.process(async (job) => {
    tries += 1;
    if (tries < 2) throw new Error('not yet');
    return job.data.n * 3;
  });
  const job = queue.createJob({ n: 2 }).retries(2).backoff('fixed', 20);
  const result = new Promise((resolve) => job.once('succeeded', resolve));
  await job.save();
  assert.equal(await result, 6);
  await queue.close();
});

test('rate-limiter-flexible: points, blocks, rewards and a queue', async () => {
  const limiter = new RateLimiterRedis({ storeClient: redis, points: 3, duration: 10, blockDuration: 20 });
  for (const left of [2, 1, 0]) assert.equal((await limiter.consume('ip')).remainingPoints, left);
  const refused = await limiter.consume('ip').catch((reason) => reason);
  assert.equal(refused.remainingPoints, 0);
  assert.ok(refused.msBeforeNext > 19_000 && refused.msBeforeNext <= 20_000, `${refused.msBeforeNext}`);
  assert.equal((await limiter.get('ip')).consumedPoints, 4);
  assert.equal(await limiter.delete('ip'), true);
  await limiter.penalty('ip', 2);
  assert.equal((await limiter.reward('ip', 1)).consumedPoints, 1);
  const queue = new RateLimiterQueue(new RateLimiterRedis({ storeClient: redis, keyPrefix: 'q', points: 2, duration: 1 }));
  const began = Date.now();
  await Promise.all([queue.removeTokens(1), queue.removeTokens(1), queue.removeTokens(1)]);
  assert.ok(Date.now() - began > 500);
});

test('redlock: one holder at a time, extended, freed, and refused to a stranger', async () => {
  const redlock = new Redlock([redis], { retryCount: 0 });
  const lock = await redlock.lock('resource', 1000);
  await assert.rejects(redlock.lock('resource', 1000), { name: 'LockError' });
  const longer = await lock.extend(5000);
  assert.ok((await redis.pttl('resource')) > 1000);
  await longer.unlock();
  await assert.rejects(longer.unlock(), { name: 'LockError' });
  const patient = new Redlock([redis], { retryCount: 50, retryDelay: 20 });
  let inside = 0;
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const held = await patient.lock('shared', 2000);
      inside += 1;
      assert.equal(inside, 1);
      await sleep(5);
      inside -= 1;
      await held.unlock();
    }),
  );
});
