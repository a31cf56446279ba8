// A story of many hundred steps: what is in view is drawn, and everything can be reached.
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

const STORY = "01-lock-stolen";
const STEPS = 600;
const line = (step) => `${"ABC"[step % 3]}> SET key:${step} "${"long ".repeat(step % 40)}"`;
const TEXT = `# Many steps\n\n\`\`\`redis\n${Array.from({ length: STEPS }, (_, index) => line(index + 1)).join("\n")}\n\`\`\`\n\nThe end.\n`;

async function openLong(options = {}) {
  const page = await open(browser, `${site.url}#${STORY}`, options);
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  await page.evaluate(
    ([story, text]) => localStorage.setItem(`redis-scripting-playground:text:${story}`, text),
    [STORY, TEXT],
  );
  await page.reload();
  // The engine may have been on its way, which a reload breaks off.
  page.problems.length = 0;
  await page.locator(".step-number").filter({ hasText: `/ ${STEPS}` }).waitFor();
  return page;
}

async function goTo(page, step) {
  await page.locator(".scrubber").evaluate((slider, step) => {
    slider.value = step;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, step);
  await page.locator(".step-number").filter({ hasText: new RegExp(`^${step} /`) }).waitFor();
}

/** Waits until the present step is in the story and in view, and gives how many steps are in the document. */
async function checkCurrent(page, step) {
  await page.locator(".step-line.is-current").filter({ hasText: `SET key:${step} ` }).waitFor();
  await page.waitForFunction(() => {
    const [outer, inner] = [".reading", ".step-line.is-current"].map((name) => document.querySelector(name)?.getBoundingClientRect());
    return inner && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  });
  return page.locator(".step-line").count();
}

test("a jump to any step of a long story shows it among its neighbours, and few others are drawn", async () => {
  const page = await openLong();
  for (const step of [300, STEPS, 1, 450, 451]) {
    await goTo(page, step);
    const drawn = await checkCurrent(page, step);
    assert.ok(drawn > 10 && drawn < 120, `${drawn} lines are in the document at step ${step}`);
    const neighbour = step === STEPS ? step - 1 : step + 1;
    assert.ok(await page.locator(".step-line").filter({ hasText: `SET key:${neighbour} ` }).isVisible());
  }
  await page.locator(".step-line button").filter({ hasText: "SET key:455 " }).click();
  assert.equal(await page.locator(".step-line.is-current").getAttribute("aria-posinset"), "455");
  assert.deepEqual(page.problems, []);
});

test("whoever scrolls a long story finds all of it, and paper has it too", async () => {
  const page = await openLong();
  await page.locator(".step-line").first().hover();
  await page.locator(".reading").evaluate((reading) => reading.scrollTo({ top: reading.scrollHeight, behavior: "instant" }));
  await page.locator(".step-line").filter({ hasText: `SET key:${STEPS} ` }).waitFor();
  await page.locator(".reading").evaluate((reading) => reading.scrollTo({ top: reading.scrollHeight / 2, behavior: "instant" }));
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector(".reading").getBoundingClientRect();
    const seen = [...document.querySelectorAll(".step-line")].map((row) => row.getBoundingClientRect());
    const room = seen.filter((row) => row.bottom > top && row.top < bottom);
    return room.length && room[0].top <= top && room.at(-1).bottom >= bottom;
  });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction((count) => document.querySelectorAll(".step-line").length === count, STEPS);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelectorAll(".step-line").length < 160);
  assert.deepEqual(page.problems, []);
});

test("a command typed in the middle of a long story is told there, and all that follows it anew", async () => {
  const page = await openLong();
  await goTo(page, STEPS);
  await goTo(page, 400);
  const prompt = page.getByRole("textbox", { name: "Command of client B" });
  await prompt.fill("DBSIZE");
  await prompt.press("Enter");
  await page.locator(".card").filter({ hasText: "DBSIZE" }).filter({ hasText: "(integer) 400" }).waitFor();
  await page.locator(".step-number").filter({ hasText: `401 / ${STEPS + 1}` }).waitFor();
  await goTo(page, STEPS + 1);
  await page.locator(".card").filter({ hasText: `SET key:${STEPS} ` }).filter({ hasText: "OK" }).waitFor();
  await page.locator(".state .count").filter({ hasText: `${STEPS}` }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("a phone draws of a long story what is in view", async () => {
  const page = await openLong({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await goTo(page, 350);
  await page.locator(".row.is-current").filter({ hasText: "SET key:350 " }).waitFor();
  await page.waitForFunction(() => {
    const row = document.querySelector(".row.is-current").getBoundingClientRect();
    return row.top >= 0 && row.top < innerHeight;
  });
  const drawn = await page.locator(".row").count();
  assert.ok(drawn > 5 && drawn < 120, `${drawn} rows are in the document`);
  assert.deepEqual(page.problems, []);
});
