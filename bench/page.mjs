// Times the built page in Chromium as a reader meets it: opening it until the first step is taken, stepping, scrubbing.
//
//   node bench/page.mjs          wants the page in dist/; `cargo xtask bench` builds it first
import { launch, open } from "../tests/e2e/support/browser.mjs";
import { serve } from "../tests/e2e/support/site.mjs";

const RUNS = 5;
/** The budget is for the first, the time machine has room for the second. */
const LENGTHS = [1_000, 10_000];
const STORY = "01-lock-stolen";
/** Chromium's preset of this name, and a phone's processor. */
const FAST_4G = { offline: false, latency: 60, downloadThroughput: (9e6 / 8) * 0.9, uploadThroughput: (1.5e6 / 8) * 0.9 };
const SLOWER = 4;

/** Runs in the page: takes the first step as soon as its button can be pressed, and keeps when the page showed it. */
function takeFirstStep() {
  const watch = () => {
    const number = document.querySelector(".step-number")?.textContent ?? "";
    const next = document.querySelector(".transport .next");
    if (/^1 \//.test(number)) return requestAnimationFrame(() => tellFirstStep(performance.now()));
    if (/\/ [1-9]/.test(number) && next && !next.disabled) next.click();
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

/**
 * Runs in the page: how long each of some positions takes from asking until all of it is painted: the engine's answer, the
 * page's own work, style, layout and paint. Each begins from rest. That the screen is drawn only 60 times a second is told
 * apart: `work` leaves out the wait for its next turn, which is no work, and up to 17 ms long.
 */
async function timeSteps(positions) {
  const slider = document.querySelector(".transport input[type=range]");
  const number = document.querySelector(".step-number");
  const keys = document.querySelector(".state .count");
  const numberIn = (element) => Number(/^[0-9]+/.exec(element.textContent.replace(/[^0-9 ]/g, "")));
  // Each step of this story adds a key, so the state is that of the position when it has as many.
  const isShown = (position) => numberIn(number) === position && numberIn(keys) === position;
  const shown = (position) =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isShown(position)) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  const frameBegins = () => new Promise(requestAnimationFrame);
  // The first task behind a frame's callbacks: style, layout and paint are done by then.
  const frameIsPainted = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  const rest = () => new Promise((resolve) => setTimeout(resolve, 50));
  const times = [];
  for (const position of positions) {
    await rest();
    const began = performance.now();
    const change = shown(position);
    slider.value = String(position);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await change;
    const changed = performance.now();
    await frameBegins();
    const frame = performance.now();
    await frameIsPainted();
    const painted = performance.now();
    times.push({ work: changed - began + painted - frame, all: painted - began });
  }
  return times;
}

/** Runs in the page: drags the slider over the whole story and back, a place further with each frame. Gives the frames in a second. */
async function scrub(last) {
  const slider = document.querySelector(".transport input[type=range]");
  const path = Array.from({ length: 240 }, (_, frame) => Math.round((last * Math.abs(120 - frame)) / 120));
  await new Promise(requestAnimationFrame);
  const began = performance.now();
  for (const position of path) {
    slider.value = String(position);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  return (path.length * 1000) / (performance.now() - began);
}

const quantile = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const ms = (time) => `${time.toFixed(0)} ms`;

/** A story with as many keys as steps. */
function longStory(steps) {
  const lines = Array.from({ length: steps }, (_, index) => `${"ABC"[index % 3]}> SET key:${index} ${index}`);
  return `# Many steps\n\n\`\`\`redis\n${lines.join("\n")}\n\`\`\`\n`;
}

async function openOnce(browser, url, { warm = false, throttled = false } = {}) {
  const page = await open(browser, "about:blank");
  let told;
  await page.exposeFunction("tellFirstStep", (time) => told(time));
  await page.addInitScript(takeFirstStep);
  const firstStep = () => new Promise((resolve) => (told = resolve));
  if (warm) {
    const before = firstStep();
    await page.goto(`${url}#${STORY}`);
    await before;
    await page.goto("about:blank");
  }
  if (throttled) {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", FAST_4G);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  }
  const shown = firstStep();
  await page.goto(`${url}#${STORY}&step=0`);
  const time = await shown;
  await page.context().close();
  return time;
}

async function timeOpening(browser, url) {
  const best = async (options) => {
    const times = [];
    for (let run = 0; run < RUNS; run++) times.push(await openOnce(browser, url, options));
    return `best ${ms(Math.min(...times))}, median ${ms(quantile(times, 0.5))}`;
  };
  console.log(`\nfrom navigation to the first step shown, ${RUNS} runs`);
  console.log(`  nothing cached                    ${await best({})}`);
  console.log(`  cached                            ${await best({ warm: true })}`);
  console.log(`  Fast 4G, processor ${SLOWER} times slower  ${await best({ throttled: true })}`);
}

async function timeStepping(browser, url, steps) {
  const page = await open(browser, "about:blank", { reducedMotion: "no-preference" });
  await page.addInitScript(
    ([story, text]) => localStorage.setItem(`redis-scripting-playground:text:${story}`, text),
    [STORY, longStory(steps)],
  );
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
      type: "longtask",
    });
  });
  await page.goto(`${url}#${STORY}`);
  const began = performance.now();
  await page.locator(".step-number").filter({ hasText: new RegExp(`/ ${steps.toLocaleString("en").replace(",", ".?")}`) }).waitFor();
  await page.keyboard.press("End");
  await page.locator(".card").filter({ hasText: `SET key:${steps - 1}` }).filter({ hasText: "OK" }).waitFor({ timeout: 120_000 });
  console.log(`\n${steps} steps run and told after ${ms(performance.now() - began)}`);
  const near = Array.from({ length: 200 }, (_, index) => 400 + index);
  const far = Array.from({ length: 200 }, (_, index) => 1 + ((index * 397) % (steps - 1)));
  const told = (times) =>
    `median ${ms(quantile(times, 0.5))}, 95 % within ${ms(quantile(times, 0.95))}, the longest ${ms(Math.max(...times))}`;
  console.log(`\nfrom asking for a step until it is painted; ${steps} steps, ${steps} keys, 200 each`);
  for (const [name, positions] of Object.entries({ "one after the other": near, "here and there": far })) {
    const times = await page.evaluate(timeSteps, positions);
    console.log(`  ${name.padEnd(20)} ${told(times.map(({ work }) => work))}`);
    console.log(`  ${"  on 60 Hz".padEnd(20)} ${told(times.map(({ all }) => all))}`);
  }
  await page.evaluate("window.longTasks.length = 0");
  const frames = await page.evaluate(scrub, steps);
  const tasks = await page.evaluate("window.longTasks");
  console.log(`  dragging over all of it and back: ${frames.toFixed(0)} frames a second`);
  console.log(`  tasks over 50 ms while scrubbing: ${tasks.length}${tasks.length ? `, the longest ${ms(Math.max(...tasks))}` : ""}`);
  await page.context().close();
}

/** Clients that all do the same. `steps`: what one of them does. */
const storyOf = (clients, steps) =>
  `A> SET n 0\n@ explore\n${clients.map((client) => steps.map((step) => step.replaceAll("X", client)).join("")).join("")}`;
const KEEP = ["X> GET n\n@ X: keep n\n", "X> SET n $n+1\n"];
const EXPLORED = {
  "three clients of four steps": storyOf(["A", "B", "C"], [KEEP[0], "X> INCR m\n", KEEP[1], "X> GET m\n"]),
  "six clients of GET and SET": storyOf(["A", "B", "C", "D", "E", "F"], KEEP),
};

/** Explores as the page does, slice by slice, through its own engine. */
async function timeExploring(browser, url) {
  const page = await open(browser, `${url}#${STORY}`);
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  console.log(`\nexploring all orders, best of ${RUNS}`);
  for (const [name, text] of Object.entries(EXPLORED)) {
    const [orders, time] = await page.evaluate(
      async ([text, runs]) => {
        const { href } = document.querySelector('link[href*="engine_host"]');
        const host = await import(href);
        const ask = async (request) => JSON.parse(await host.ask(JSON.stringify(request), 60_000));
        const plan = { position: 0, from_here: false, clock_free: false, method: "all", seed: 0 };
        let best = Infinity;
        let orders;
        for (let run = 0; run < runs; run++) {
          await ask({ load: { text, known: 0, spoilt: [] } });
          const began = performance.now();
          let told = (await ask({ explore: { plan } })).explored;
          while (!told.done) told = (await ask("explore-on")).explored;
          best = Math.min(best, performance.now() - began);
          orders = told.orders;
        }
        return [orders, best];
      },
      [text, RUNS],
    );
    console.log(`  ${name.padEnd(28)} ${Number(orders).toLocaleString("en")} orders in ${ms(time)}`);
  }
  await page.context().close();
}

const [site, browser] = await Promise.all([serve(), launch()]);
try {
  if (process.argv.includes("--explore")) {
    await timeExploring(browser, site.url);
  } else {
    if (!process.argv.includes("--steps")) await timeOpening(browser, site.url);
    for (const steps of LENGTHS) await timeStepping(browser, site.url, steps);
    await timeExploring(browser, site.url);
  }
} finally {
  await browser.close();
  site.close();
}
