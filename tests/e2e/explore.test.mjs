// All orders of a story in the page: the lost update is found, and one order that loses it is stepped through.
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

/** Opens a story at a step, with the panel of all orders. */
async function openExplore(story, step) {
  const page = await open(browser, `${site.url}#${story}&step=${step}`);
  await page.locator(".step-number").filter({ hasText: new RegExp(`^${step} / [1-9]`) }).waitFor();
  await page.getByRole("tab", { name: "Explore" }).click();
  return page;
}

const explore = (page) => page.getByRole("button", { name: "Explore", exact: true }).click();
const row = (page, text) => page.locator(".outcomes tbody tr").filter({ hasText: text });

test("the lost update is found, counted, and stepped through", async () => {
  // Behind the seventh step the reader stands in the part about likes.
  const page = await openExplore("06-get-then-incr", 7);
  await explore(page);
  await page.locator(".explore-summary").filter({ hasText: /part 2 of 4.*6 orders, 2 outcomes/ }).waitFor();
  const lost = row(page, 'likes = "1"');
  assert.match((await lost.innerText()).replace(/\s+/g, " "), /^4 66\.7 %/);
  assert.match((await row(page, 'likes = "2"').innerText()).replace(/\s+/g, " "), /^2 33\.3 %/);
  await lost.getByRole("button", { name: "Step through it" }).click();
  await page.getByText("The timeline shows this order now").waitFor();
  await page.locator(".chip").filter({ hasText: "SET likes 1" }).first().waitFor();
  await page.locator("h1").first().click();
  await page.keyboard.press("End");
  await page.locator(".keys tbody tr").filter({ hasText: "likes" }).filter({ hasText: '"1"' }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("checks of a part are told to hold in all orders, and the story comes back by undo", async () => {
  const page = await openExplore("06-get-then-incr", 12);
  await explore(page);
  const checks = page.locator(".explore-checks li");
  await checks.filter({ hasText: "@ finally GET door" }).filter({ hasText: "holds in all" }).waitFor();
  assert.equal(await checks.count(), 2);
  await page.locator(".outcomes button").first().click();
  await page.getByText("The timeline shows this order now").waitFor();
  assert.deepEqual(page.problems, []);
});

test("a search that takes long can be stopped, and drawn instead", async () => {
  const page = await openExplore("24-long-script", 0);
  await explore(page);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".explore-summary").filter({ hasText: "Stopped, not complete" }).waitFor();
  await page.getByLabel("Which orders").selectOption("1,000 drawn by lot");
  await explore(page);
  await page.locator(".explore-summary").filter({ hasText: "1,000 orders drawn" }).waitFor({ timeout: 120_000 });
  assert.deepEqual(page.problems, []);
});
