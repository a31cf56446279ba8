// Times the same work natively, in WebAssembly in Chromium, and in Debian's lua5.1, and prints how they compare.
//
//   node bench.mjs NATIVE_PROGRAM FOLDER_OF_THE_WASM_MODULE
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "../../tests/e2e/support/browser.mjs";
import { serve } from "../../tests/e2e/support/site.mjs";

const [native, folder] = process.argv.slice(2);
const LOCKS = 20_000;
const RUNS = 10; // the best is told: the others were disturbed
const SCRIPTS = {
  "a plain loop of 1e7": "local x = 0 for i = 1, 1e7 do x = x + i end return x",
  "fib(30)":
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(30)",
};

function timeNative() {
  const words = [LOCKS, RUNS, ...Object.values(SCRIPTS)].map(String);
  return JSON.parse(execFileSync(native, words, { encoding: "utf8" }));
}

async function timeInChromium() {
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>bench</title>");
  const [site, browser] = await Promise.all([serve(folder), launch()]);
  try {
    const page = await open(browser, site.url);
    return await page.evaluate(
      async ([locks, runs, scripts]) => {
        const module = await import("./playground_bench.js");
        const { memory } = await module.default();
        // 10,000 steps over 10,000 keys: all of them, a jump, the playhead dragged over it, and an edit in the middle; then the recording of a script of
        // 100,000 lines: opening it, and one line on or back. Jumps and lines are told by their 95th percentile.
        const timeTelling = async () => {
          const STEPS = 10_000;
          const seconds = (work) => {
            const began = performance.now();
            work();
            return (performance.now() - began) / 1000;
          };
          const late = (times) => times.sort((one, other) => one - other)[Math.floor(times.length * 0.95)];
          const telling = new module.Telling();
          const run = seconds(() => telling.tell(STEPS, 0xffffffff));
          const megabytes = memory.buffer.byteLength / 1e6;
          const jump = late(Array.from({ length: 300 }, (_, n) => seconds(() => telling.jump((n * 7919) % STEPS))));
          // As the playhead is dragged over all of it and back: 400 places each way.
          const there = Array.from({ length: 400 }, (_, n) => n * 25);
          const scrub = late([...there, ...there.reverse()].map((position) => seconds(() => telling.jump(position))));
          const edit = seconds(() => telling.tell(STEPS, STEPS / 2));
          telling.tell_script();
          const open = seconds(() => telling.record());
          const steps = [500, 50_000, 90_000].flatMap((start) => {
            telling.go(start);
            return Array.from({ length: 600 }, (_, n) => seconds(() => telling.step(n >= 300)));
          });
          return { run, jump, scrub, edit, open, step: late(steps), megabytes };
        };
        const bench = new module.Bench();
        const best = (run) => Math.min(...Array.from({ length: runs }, run));
        const seconds = (work) => {
          const began = performance.now();
          work();
          return (performance.now() - began) / 1000;
        };
        const evalsha = best(() => {
          bench.take_locks(locks);
          return seconds(() => {
            if (bench.free_locks() !== locks) throw new Error("a lock was not held any more");
          });
        });
        return { telling: await timeTelling(), evalsha, scripts: scripts.map((script) => best(() => seconds(() => bench.run_script(script)))) };
      },
      [LOCKS, RUNS, Object.values(SCRIPTS)],
    );
  } finally {
    await browser.close();
    site.close();
  }
}

/** PUC Lua itself, by the same clock as the others: its own would leave out the time in which others run. */
function timeLua(script) {
  const seconds = (program) => {
    const began = performance.now();
    execFileSync("lua5.1", ["-e", program]);
    return (performance.now() - began) / 1000;
  };
  const best = (program) => Math.min(...Array.from({ length: RUNS }, () => seconds(program)));
  return best(`local f = function() ${script} end f()`) - best("");
}

const inNative = timeNative();
const inWasm = await timeInChromium();
const perSecond = (seconds) => `${Math.round(LOCKS / seconds).toLocaleString("en")}/s`;
const times = (one, other) => `${(one / other).toFixed(2)} x`;

console.log(`\nEVALSHA of compare-and-delete, ${LOCKS.toLocaleString("en")} times, best of ${RUNS}`);
console.log(`  native       ${perSecond(inNative.evalsha)}`);
console.log(`  WebAssembly  ${perSecond(inWasm.evalsha)}, which takes ${times(inWasm.evalsha, inNative.evalsha)} as long as native`);

Object.entries(SCRIPTS).forEach(([name, script], index) => {
  const lua = timeLua(script);
  const [asNative, asWasm] = [inNative.scripts[index], inWasm.scripts[index]];
  console.log(`\n${name}, best of ${RUNS}; lua5.1 takes ${(lua * 1000).toFixed(0)} ms`);
  console.log(`  native       ${(asNative * 1000).toFixed(0)} ms, ${times(asNative, lua)} as long as lua5.1`);
  console.log(`  WebAssembly  ${(asWasm * 1000).toFixed(0)} ms, ${times(asWasm, lua)} as long as lua5.1`);
});

const milliseconds = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
console.log("\n10,000 steps over 10,000 keys, and the recording of a script of 100,000 lines");
for (const [name, { run, jump, scrub, edit, open, step }] of [["native     ", inNative.telling], ["WebAssembly", inWasm.telling]]) {
  console.log(`  ${name}  all steps ${milliseconds(run)}; a jump ${milliseconds(jump)}; scrubbing ${milliseconds(scrub)} a frame; an edit in the middle ${milliseconds(edit)}`);
  console.log(`               opening the recording ${milliseconds(open)}; one line on or back ${milliseconds(step)}`);
}
console.log(`  WebAssembly takes ${inWasm.telling.megabytes.toFixed(0)} MB for the story; jumps, frames and lines are the 95th percentile`);
