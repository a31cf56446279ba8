// Stories in a page of another origin, with JavaScript and without.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { launch, open } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";

let playground, docs, browser, folder;

before(async () => {
  [playground, browser] = await Promise.all([serve(), launch()]);
  // The demo page as somebody else's site has it: its own host, and the playground's script from another one.
  folder = mkdtempSync(join(tmpdir(), "embed-"));
  const page = readFileSync("dist/embed-demo.html", "utf8");
  writeFileSync(join(folder, "index.html"), page.replace('src="embed.js"', `src="${playground.url}embed.js"`));
  cpSync("dist/embed-demo.css", join(folder, "embed-demo.css"));
  docs = await serve(folder);
});

after(async () => {
  await browser?.close();
  playground?.close();
  docs?.close();
  if (folder) rmSync(folder, { recursive: true });
});

test("without JavaScript the stories are there to read, and nothing else is asked for", async () => {
  const page = await open(browser, docs.url, { javaScriptEnabled: false });
  assert.equal(await page.locator("redis-playground pre").count(), 3);
  await page.getByText("A> DEL lock").waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
});

test("stories load when they come into view, at their step, sandboxed and as high as they are", async () => {
  // Low enough that the last story is far below, however high those before it are yet.
  const page = await open(browser, docs.url, { viewport: { width: 1280, height: 480 } });
  const frame = (title) => page.frameLocator(`iframe[title="${title}"]`);
  await frame("A lock that is stolen").locator(".step-number").filter({ hasText: "1 / 5" }).waitFor();
  assert.equal(await page.locator('iframe[title="A script that never ends"]').count(), 0);
  // Worker and storage are refused to a frame of no origin, and it works all the same.
  await frame("A lock that is stolen").getByRole("button", { name: "Next", exact: true }).click();
  await frame("A lock that is stolen").locator(".step-number").filter({ hasText: "2 / 5" }).waitFor();
  const stolen = page.locator('iframe[title="A lock that is stolen"]');
  assert.doesNotMatch(await stolen.getAttribute("sandbox"), /same-origin/);
  const [inside, outside] = [
    await frame("A lock that is stolen").locator("body").evaluate((body) => body.offsetHeight),
    (await stolen.boundingBox()).height,
  ];
  assert.ok(Math.abs(inside - outside) <= 1 && inside > 250, `${inside} in ${outside}`);

  await page.locator('redis-playground[title="Compare and delete"]').scrollIntoViewIfNeeded();
  await frame("Compare and delete").locator(".step-number").filter({ hasText: "4 / 4" }).waitFor();
  await page.locator('redis-playground[title="A terminal"]').scrollIntoViewIfNeeded();
  const prompt = frame("A terminal").getByRole("textbox", { name: "Command of client A" });
  await prompt.fill("LLEN jobs");
  await prompt.press("Enter");
  await frame("A terminal").locator(".screen").filter({ hasText: "(integer) 2" }).first().waitFor();
  await page.locator('redis-playground[title="A script that never ends"]').scrollIntoViewIfNeeded();
  await frame("A script that never ends").locator(".step-number").filter({ hasText: "3 / 10" }).waitFor();
  // Several playgrounds in one page have the same landmarks, each in its frame.
  const { violations } = await new AxeBuilder({ page }).disableRules("landmark-unique").analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
});
