// A long day of the page at high speed: steps, edits, shares and engine restarts, and what memory it holds after each thousand.
//
//   node bench/soak.mjs [STEPS]   wants the page in dist/; `cargo xtask bench soak` builds it first. 50,000 steps if not said
import { readFileSync } from "node:fs";
import { launch, open } from "../tests/e2e/support/browser.mjs";
import { serve } from "../tests/e2e/support/site.mjs";

const STEPS = Number(process.argv[2] ?? 50_000);
const ROUND = 1_000;
const LENGTH = 200;

/** Scripts, expiry and collections; different in each round, so that nothing can be taken from the last one. Time that passes is no step. */
function story(round) {
  const lines = Array.from({ length: LENGTH / 4 }, (_, index) => [
    `A> SET key:${index} round-${round} PX 5000`,
    `B> EVAL "for i = 1, 50 do redis.call('ZINCRBY', KEYS[1], i, ARGV[1] .. i) end return redis.call('ZCARD', KEYS[1])" 1 scores:${index % 7} ${round}`,
    `C> RPUSH list:${index % 11} ${round} ${index}`,
    `A> HSET hash:${index % 5} field:${index} ${round}`,
    "+37ms",
  ]);
  return `# Round ${round}\n\n\`\`\`redis\n${lines.flat().join("\n")}\n\`\`\`\n`;
}

/** Runs in the page: goes to places far and near, each as soon as the one before is drawn. */
async function travel([count, last, seed]) {
  const slider = document.querySelector(".transport input[type=range]");
  let place = seed;
  for (let step = 0; step < count; step++) {
    place = step % 4 ? place + 1 : place * 31 + 7;
    slider.value = String(place % (last + 1));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
}

/** Ends the engine as the page does where no answer comes; the next question goes to a new one. */
async function restart() {
  const { href } = document.querySelector('link[href*="engine_host"]');
  const { ask } = await import(href);
  await ask(JSON.stringify({ command: { line: 'EVAL "while true do end" 0' } }), 20).catch(() => {});
}

const site = await serve();
const browser = await launch();
try {
  const page = await open(browser, `${site.url}#01-lock-stolen`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  const session = await page.context().newCDPSession(page);
  const whole = await browser.newBrowserCDPSession();

  /** What is alive after a collection, and what the system has given to all renderers. */
  const held = async () => {
    for (let turn = 0; turn < 3; turn++) await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
    const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
    const resident = processInfo
      .filter(({ type }) => type === "renderer")
      .map(({ id }) => Number(/Rss:\s+(\d+)/.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]));
    return { heap: usedSize / 1e6, nodes, listeners, resident: resident.reduce((sum, kib) => sum + kib, 0) / 1e3 };
  };

  await page.keyboard.press("e");
  const editor = page.locator(".code-editor .cm-content");
  await editor.waitFor();
  const write = async (text, round) => {
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    // Pasted, since of text that is typed into the document the browser keeps what it replaced, for an undo of its own.
    await editor.evaluate((element, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await page.locator(".chooser").filter({ hasText: `Round ${round}` }).waitFor();
    await page.locator(".step-number").filter({ hasText: new RegExp(`/ ${LENGTH}$`) }).waitFor();
  };

  console.log(`${STEPS} steps, an edit, a share and an engine restart with each thousand\n`);
  console.log("   steps   heap MB   nodes   listeners   renderers MB");
  let first;
  let last;
  for (let done = 0; done < STEPS; done += ROUND) {
    const round = done / ROUND;
    await page.evaluate(restart);
    await write(story(round), round);
    await page.evaluate(travel, [ROUND, LENGTH, round * 13]);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("dialog", { name: "Share" }).waitFor();
    await page.keyboard.press("Escape");
    last = await held();
    first ??= last;
    const row = [done + ROUND, last.heap.toFixed(1), last.nodes, last.listeners, last.resident.toFixed(0)];
    console.log(row.map((cell, column) => String(cell).padStart([8, 10, 8, 12, 15][column])).join(""));
  }
  const ratio = (what) => `${what} ${(last[what] / first[what]).toFixed(2)}`;
  console.log(`\nat the end, in times of what was held after the first thousand: ${["heap", "nodes", "listeners", "resident"].map(ratio).join(", ")}`);
  if (page.problems.length) console.log(`problems told by the page: ${page.problems.join("; ")}`);
} finally {
  await browser.close();
  site.close();
}
