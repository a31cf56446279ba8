// The built page as a whole: that it starts anywhere, asks nobody else, and is open to everyone.
import assert from "node:assert/strict";
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

test("the page starts below any path, within its security policy, and asks no other origin", async () => {
  const page = await open(browser, site.url);
  await page.locator(".chip").first().waitFor();
  assert.deepEqual(page.problems, []);
});

for (const [window, viewport] of Object.entries({ "a desktop": { width: 1440, height: 900 }, "a phone": { width: 390, height: 844 } })) {
  test(`nothing jumps while the page is opened on ${window}`, async () => {
    const page = await open(browser, "about:blank", { viewport });
    await page.addInitScript(() => {
      window.jumped = [];
      const note = (list) => window.jumped.push(...list.getEntries().map(({ value, sources }) => [value, ...sources.map(({ node }) => node?.className)]));
      new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(site.url);
    await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
    await page.locator(".engine-state").filter({ hasText: /^$/ }).waitFor({ state: "attached" });
    const jumped = await page.evaluate(() => window.jumped);
    assert.ok(jumped.reduce((sum, [value]) => sum + value, 0) < 0.01, JSON.stringify(jumped));
  });
}

test("after the first visit the page works without a network, all lessons with it", async () => {
  const page = await open(browser, site.url);
  await page.locator(".chip").first().waitFor();
  await page.evaluate(async () => {
    const { active, installing, waiting } = await navigator.serviceWorker.ready;
    const worker = installing ?? waiting ?? active;
    if (worker.state !== "activated") await new Promise((done) => worker.addEventListener("statechange", () => worker.state === "activated" && done()));
  });
  await page.context().setOffline(true);
  await page.reload();
  await page.locator(".chip").first().waitFor();
  await page.keyboard.press("l");
  await page.getByRole("dialog").getByRole("button", { name: /^Compare and delete in one step/ }).click();
  await page.locator(".chooser").filter({ hasText: "Compare and delete" }).waitFor();
  await page.locator(".chip").first().waitFor();
  await page.keyboard.press("e");
  await page.locator(".code-editor .cm-content").waitFor();
});
