// Lessons: questions before a step, tasks with something that must hold, and the way on.
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

const atStep = (page, step) => page.locator(".step-number").filter({ hasText: new RegExp(`^${step} / [1-9]`) }).waitFor();

async function lesson(place, query = "") {
  const page = await open(browser, `${site.url}${query}#${place}`);
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  return page;
}

/** Puts a text in the place of the story's, by the editor. */
async function write(page, change) {
  await page.keyboard.press("e");
  const editor = page.locator(".code-editor .cm-content");
  await editor.waitFor();
  const text = await page.locator(".code-editor").evaluate((element) => element.value);
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(change(text));
  await page.getByRole("button", { name: "Read", exact: true }).click();
}

test("a step behind a question shows nothing of itself until the reader has answered", async () => {
  const page = await lesson("01-lock-stolen&step=4");
  await atStep(page, 4);
  const line = page.locator(".step-line").filter({ hasText: "DEL lock" });
  const chip = page.locator(".chip").filter({ hasText: "DEL lock" });
  for (const place of [line, chip]) {
    assert.match(await place.innerText(), /\?/);
    assert.doesNotMatch(await place.innerText(), /integer/);
  }
  const question = page.getByRole("region", { name: "What will happen?" });
  assert.match(await question.innerText(), /Step 5.*Whose key does its DEL remove/s);
  await question.getByRole("button", { name: "B's", exact: true }).click();
  await question.getByRole("status").filter({ hasText: "Right." }).waitFor();
  assert.match(await line.innerText(), /\(integer\) 1/);
  await page.keyboard.press("ArrowRight");
  await atStep(page, 5);
  await page.locator(".card .said.is-right").filter({ hasText: "You said: B's" }).waitFor();
  assert.equal(await question.count(), 0);
  assert.deepEqual(page.problems, []);
});

test("a wrong answer is told as one, beside the right one, and the first word counts", async () => {
  const page = await lesson("01-lock-stolen&step=4");
  const question = page.getByRole("region", { name: "What will happen?" });
  await question.getByRole("button", { name: "A's", exact: true }).click();
  await question.getByRole("status").filter({ hasText: "Not so." }).waitFor();
  assert.match(await question.locator(".is-right").innerText(), /✓\s*B's/);
  assert.match(await question.locator(".is-wrong").innerText(), /✗\s*A's/);
  await question.getByRole("button", { name: "B's" }).click();
  await page.keyboard.press("ArrowRight");
  await page.locator(".card .said.is-wrong").filter({ hasText: "You said: A's" }).waitFor();
});

test("who only steps on is not held up", async () => {
  const page = await lesson("01-lock-stolen&step=4");
  await page.keyboard.press("ArrowRight");
  await atStep(page, 5);
  assert.match(await page.locator(".card").innerText(), /\(integer\) 1/);
  assert.equal(await page.locator(".said").count(), 0);
});

test("without choices the reader writes the reply, as bare as may be", async () => {
  const page = await lesson("01-lock-stolen");
  await write(page, () => '@ predict How many?\nA> INCR visits\n@ predict And what is read?\nA> GET visits\n');
  await page.locator(".step-number").filter({ hasText: "/ 2" }).waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  const answer = page.getByRole("textbox", { name: "The reply, as you expect it" });
  await answer.fill("1");
  await answer.press("Enter");
  await page.getByRole("status").filter({ hasText: "Right." }).waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await answer.fill("2");
  await answer.press("Enter");
  await page.getByRole("status").filter({ hasText: "Not so." }).waitFor();
});

test("a page that embeds a story can insist on an answer", async () => {
  const page = await lesson("01-lock-stolen&step=2", "?embed=timeline&predict=");
  await page.getByRole("button", { name: "To the end" }).click();
  await atStep(page, 4);
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await atStep(page, 4);
  await page.getByRole("button", { name: "B's", exact: true }).click();
  await page.getByRole("button", { name: "To the end" }).click();
  await atStep(page, 8);
});

test("what must hold is shown to hold, until somebody breaks it", async () => {
  const page = await lesson("01-lock-stolen");
  const checks = page.getByRole("region", { name: "What must hold" });
  await checks.locator(".check.holds").filter({ hasText: /GET lock → "C"\s*in the end holds/ }).waitFor();
  await write(page, (text) => text.replace("C> SET lock C NX PX 30000\nOK", "C> SET lock C XX PX 30000\n(nil)"));
  await checks.locator(".check.fails").filter({ hasText: /fails after Step 8: \(nil\)/ }).waitFor();
  await checks.getByRole("status").filter({ hasText: "You have broken it." }).waitFor();
  await checks.getByRole("button", { name: "Step 8" }).click();
  await atStep(page, 8);
  await page.locator(".card .difference").filter({ hasText: /This must hold here, and does not: GET lock/ }).waitFor();
  await checks.getByRole("button", { name: "Original" }).click();
  await checks.locator(".check.holds").waitFor();
  assert.deepEqual(page.problems, []);
});

test("an invariant is told to fail at the first step that breaks it", async () => {
  const page = await lesson("01-lock-stolen");
  await write(page, () => "A> SET stock 1\nA> DECR stock\nA> DECR stock\nA> INCR stock\n@ always EVAL \"return tonumber(redis.call('GET', 'stock')) < 0\" 0\n(nil)\n");
  await page.locator(".check.fails").filter({ hasText: /after every step fails after Step 3: \(integer\) 1/ }).waitFor();
});

test("a lesson leads to the next one", async () => {
  const page = await lesson("01-lock-stolen&step=8");
  await page.getByRole("link", { name: /Next lesson.*Compare and delete/s }).click();
  await page.locator(".chooser").filter({ hasText: "Compare and delete" }).waitFor();
  await atStep(page, 0);
});
