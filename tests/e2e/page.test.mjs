// The built page as a whole: that it starts anywhere, asks nobody else, and is open to everyone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
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

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no barrier on the ${colorScheme} page`, async () => {
    const page = await open(browser, site.url, { colorScheme });
    await page.locator(".chip").first().waitFor();
    await page.keyboard.press("End");
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
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
