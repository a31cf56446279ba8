// The playground beside those that do the same work, each measured in the same run and on the same machine:
// Debian's redis-server, and js-redis-server, a server in JavaScript whose Lua is WebAssembly too.
//
//   node bench/peers.mjs PLAYGROUND BENCH_PROGRAM FOLDER_OF_THE_WASM_MODULE
//
// Loads are made by redis-benchmark; what is told is the best of a few runs, as the others were disturbed.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, open } from "../tests/e2e/support/browser.mjs";
import { serve } from "../tests/e2e/support/site.mjs";

const [playground, program, folder] = process.argv.slice(2);
const PEER = "js-redis-server@0.3.0";
const RUNS = 3;
const COMPARE_AND_DELETE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
const KEYS = 1_000_000;

const work = mkdtempSync(join(tmpdir(), "playground-peers-"));
const children = [];

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => resolve(true));
    socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
  });

/** Starts a server on a port of its own. */
async function started(command, words) {
  const port = await freePort();
  const child = spawn(command, words(String(port)), { cwd: work, stdio: "ignore" });
  children.push(child);
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await answers(port)) return { port, pid: child.pid };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${command} does not answer`);
}

const cli = (port, ...words) => execFileSync("redis-cli", ["-p", port, ...words].map(String), { encoding: "utf8" }).trim();

/** Requests a second: the best of some runs. */
function load({ port }, requests, command) {
  const once = () => {
    const words = ["-p", port, "-P", 16, "-c", 50, "-n", requests, "--csv", ...command].map(String);
    const rows = execFileSync("redis-benchmark", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim().split("\n");
    return Number(rows.at(-1).split('","')[1]);
  };
  return Math.max(...Array.from({ length: RUNS }, once));
}

const evalsha = (server) => ["EVALSHA", cli(server.port, "SCRIPT", "LOAD", COMPARE_AND_DELETE), 1, "lock", "token"];
const perSecond = (rate) => `${Math.round(rate).toLocaleString("en")}/s`;
const row = (name, ours, theirs, of) => console.log(`  ${name.padEnd(44)} ${perSecond(ours).padStart(12)}  ${perSecond(theirs).padStart(12)}  ${(ours / theirs).toFixed(2)} x ${of}`);

/** The JavaScript server is fetched when it is first wanted: nothing else needs it. */
function peerProgram() {
  const place = resolve("target", "peers");
  const found = join(place, "node_modules", "js-redis-server", "dist", "cli.js");
  if (!existsSync(found)) {
    mkdirSync(place, { recursive: true });
    execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", place, PEER], { stdio: "inherit" });
  }
  return found;
}

/** EVALSHA in process, on locks that are free already, as redis-benchmark asks for one: natively and in WebAssembly; and from loading the engine to its first EVAL. */
async function inProcess() {
  const LOCKS = 20_000;
  const native = LOCKS / JSON.parse(execFileSync(program, [String(LOCKS), "10"], { encoding: "utf8" })).refused;
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>bench</title>");
  const [site, browser] = await Promise.all([serve(folder), launch()]);
  try {
    // By a hash that never changes: as the page asks, and as a cache keeps it.
    const begin = async () => {
      const began = performance.now();
      const module = await import("./playground_bench.js?v=1");
      await module.default({ module_or_path: new URL("playground_bench_bg.wasm?v=1", location) });
      new module.Bench().run_script("return 1");
      return performance.now() - began;
    };
    const page = await open(browser, site.url);
    await page.evaluate(begin);
    const times = [];
    for (let visit = 0; visit < 7; visit++) {
      await page.reload();
      times.push(await page.evaluate(begin));
    }
    const seconds = await page.evaluate(async (locks) => {
      const module = await import("./playground_bench.js?v=1");
      const bench = new module.Bench();
      bench.take_locks(locks);
      bench.free_locks();
      const runs = Array.from({ length: 10 }, () => {
        const began = performance.now();
        bench.free_locks();
        return (performance.now() - began) / 1000;
      });
      return Math.min(...runs);
    }, LOCKS);
    return { native, wasm: LOCKS / seconds, fresh: times.sort((one, other) => one - other) };
  } finally {
    await browser.close();
    site.close();
  }
}

/** Bytes of memory for each of a million small keys, without the bytes of key and value themselves. */
function overhead({ port, pid }) {
  const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
  const before = resident();
  cli(port, "DEBUG", "POPULATE", KEYS, "key", 12);
  const payload = "key:".length + 5.9 + 12;
  return (resident() - before) / KEYS - payload;
}

try {
  const redis = await started("redis-server", (port) => ["--port", port, "--save", "", "--enable-debug-command", "yes"]);
  const ours = await started(playground, (port) => ["serve", "--port", port]);
  const rates = await inProcess();

  console.log(`\nredis-benchmark -P 16 -c 50, best of ${RUNS}                   playground  redis-server ${/redis_version:(\S+)/.exec(cli(redis.port, "INFO", "server"))[1]}`);
  for (const [name, command] of [["GET through `serve`", () => ["GET", "key"]], ["SET through `serve`", () => ["SET", "key", "value"]], ["EVALSHA of compare-and-delete through `serve`", evalsha]]) {
    row(name, load(ours, 400_000, command(ours)), load(redis, 400_000, command(redis)), "redis-server");
  }
  row("EVALSHA natively in process", rates.native, load(redis, 400_000, evalsha(redis)), "redis-server");

  try {
    const peer = await started("node", (port) => [peerProgram(), "--port", port]);
    row("EVALSHA in WebAssembly in Chromium", rates.wasm, load(peer, 20_000, evalsha(peer)), PEER);
  } catch (error) {
    console.log(`  ${PEER} cannot be had here: ${error.message.split("\n")[0]}`);
  }

  console.log("\na fresh engine in Chromium, cached: loaded, instantiated, first EVAL answered");
  console.log(`  best ${rates.fresh[0].toFixed(0)} ms, median ${rates.fresh[3].toFixed(0)} ms of 7`);

  console.log("\na million small keys, bytes of each besides its name and value, by resident memory");
  const anew = await started(playground, (port) => ["serve", "--port", port]);
  console.log(`  playground ${overhead(anew).toFixed(0)}, redis-server ${overhead(redis).toFixed(0)}`);
} finally {
  children.forEach((child) => child.kill("SIGKILL"));
  rmSync(work, { recursive: true, force: true });
}
