// What the page tells before it has the engine: that it is what the engine tells, and that all else waits for the engine.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";

let site, browser;

before(async () => {
  [site, browser] = await Promise.all([serve(), launch()]);
});

after(async () => {
  await browser?.close();
  site?.close();
});

test("every recording is what the shipped engine answers, to the letter", async () => {
  const names = readdirSync("examples").filter((name) => name.endsWith(".md"));
  const page = await open(browser, site.url);
  const told = await page.evaluate(async (names) => {
    const module = await import(new URL("playground-engine.js", document.baseURI));
    await module.default({ module_or_path: new URL("playground-engine_bg.wasm", document.baseURI) });
    const differs = [];
    let count = 0;
    for (const name of names) {
      const lines = (await (await fetch(`recorded/${name.replace(/md$/, "txt")}`)).text()).split("\n");
      for (let at = 0; at + 1 < lines.length; at += 2, count++) {
        if (module.handle(lines[at]) !== lines[at + 1]) differs.push(`${name}: ${lines[at].slice(0, 80)}`);
      }
    }
    return { differs, count };
  }, names);
  assert.deepEqual(told.differs, []);
  assert.ok(told.count > names.length * 4, `${told.count} answers`);
});

test("a lesson is read and stepped through while the engine is on its way, and what needs it waits", async () => {
  const page = await open(browser, "about:blank", { serviceWorkers: "block" });
  let release;
  const isReleased = new Promise((resolve) => (release = resolve));
  await page.context().route(/playground-engine_bg\.wasm/, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.goto(site.url);
  await page.locator(".step-number").filter({ hasText: /\/ 8/ }).waitFor();
  await page.keyboard.press("End");
  await page.locator(".card").filter({ hasText: "GET lock" }).waitFor();
  await page.locator(".keys").filter({ hasText: '"C"' }).waitFor();
  const note = page.locator(".engine-state").filter({ hasText: "the engine is on its way" });
  await note.waitFor();
  const prompt = page.getByRole("textbox", { name: "Command of client A" });
  await prompt.fill("INCR n");
  await prompt.press("Enter");
  await page.keyboard.press("Escape");
  assert.match(await page.locator(".step-number").innerText(), /^8 \/ 8/);
  release();
  await page.locator(".step-number").filter({ hasText: /^9 \/ 9/ }).waitFor();
  await page.locator(".card").filter({ hasText: "(integer) 1" }).waitFor();
  await note.waitFor({ state: "hidden" });
});

test("a text of the reader's own waits for no recording", async () => {
  const page = await open(browser, "about:blank");
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.addInitScript(() => localStorage.setItem("redis-scripting-playground:text:01-lock-stolen", "A> PING\n"));
  await page.goto(`${site.url}#01-lock-stolen`);
  await page.locator(".step-number").filter({ hasText: /\/ 1$/ }).waitFor();
  assert.ok(!asked.some((path) => path.includes("/recorded/")), asked.join("\n"));
});
