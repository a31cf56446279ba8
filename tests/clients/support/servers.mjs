// Starts the server that a test talks to: see servers.py beside this file.

import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const playground = process.env.PLAYGROUND ?? join(root, 'target/debug/playground');
const redisServer = process.env.REDIS_SERVER;

/** Answers the port of a server of its own, which ends with this process. */
export async function startServer({ cluster = false, config = {} } = {}) {
  return redisServer ? startRedis(cluster, config) : startPlayground(cluster, config);
}

async function startPlayground(cluster, config) {
  const words = ['serve', '--port', '0', ...(cluster ? ['--cluster'] : [])];
  for (const [name, value] of Object.entries(config)) words.push('--config', `${name}=${value}`);
  const server = spawn(playground, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithUs(server);
  for await (const line of createInterface({ input: server.stdout })) {
    // It is waited for no longer: neither the server nor its pipe may keep us from ending.
    server.stdout.unref();
    return Number(line.split(':').pop());
  }
  throw new Error(`${playground} did not say that it is ready`);
}

async function startRedis(cluster, config) {
  const port = await freePort();
  const words = ['--port', String(port), '--save', '', '--dir', mkdtempSync(join(tmpdir(), 'redis-'))];
  if (cluster) words.push('--cluster-enabled', 'yes');
  for (const [name, value] of Object.entries(config)) words.push(`--${name}`, value);
  const server = spawn(redisServer, words, { stdio: 'ignore' });
  endWithUs(server);
  await until(() => ask(port, 'PING').catch(() => false));
  if (cluster) {
    await ask(port, 'CLUSTER ADDSLOTSRANGE 0 16383');
    await until(async () => (await ask(port, 'CLUSTER INFO')).includes('cluster_state:ok'));
  }
  return port;
}

/** A hook of the test runner would end it with whatever hook has started it. */
function endWithUs(server) {
  server.unref();
  process.on('exit', () => server.kill('SIGKILL'));
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port > 55535 ? port - 20000 : port));
    });
  });
}

function ask(port, line) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}

/** Waits until something holds, for ten seconds at most. */
export async function until(holds, what = 'it') {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ten seconds`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
