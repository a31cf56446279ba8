// The debugger: a script of the story, stepped through and back.
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

const LIMITER = `local hits = redis.call('INCR', KEYS[1])
if hits == 1 then
  redis.call('PEXPIRE', KEYS[1], 1000)
end
local function allowed(limit)
  local left = limit - hits
  return left >= 0
end
if allowed(3) then
  return hits
end
return redis.error_reply('LIMIT reached')
`;

/** The page with a script pasted, standing behind the first step that runs it, with the debugger open. */
async function pasted(script = LIMITER, options = {}) {
  const page = await open(browser, `${site.url}#01-lock-stolen`, options);
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Choose a story" });
  await dialog.getByText("Your own story").click();
  await dialog.getByRole("textbox", { name: "Begin with a script" }).fill(script);
  await dialog.getByRole("button", { name: "Make a story of it" }).click();
  await page.locator(".step-number").filter({ hasText: "/ 2" }).waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.locator(".step-number").filter({ hasText: /^1 \// }).waitFor();
  return debugged(page);
}

async function debugged(page) {
  await page.keyboard.press("Shift+ArrowRight");
  await page.locator(".debug-line.is-current").waitFor();
  return page;
}

/** A lesson at a step that runs a script, with the debugger open. */
async function lesson(name, step) {
  const page = await open(browser, `${site.url}#${name}&step=${step}`);
  await page.locator(".step-number").filter({ hasText: new RegExp(`^${step} / [1-9]`) }).waitFor();
  return debugged(page);
}

const press = (page, name) => page.getByRole("button", { name }).click();

/** Waits until the line that is run next has this number. */
const atLine = (page, number) =>
  page.locator(".debug-line.is-current .debug-gutter").filter({ hasText: new RegExp(`^${number}$`) }).waitFor();

const told = async (page, selector) => (await page.locator(selector).allInnerTexts()).join(" ").replace(/\s+/g, " ");

test("a pasted rate limiter is run to a breakpoint, and stepped back over a redis.call", async () => {
  const page = await pasted();
  await atLine(page, 1);
  assert.match(await told(page, ".debug-facts"), /The script has changed nothing yet/);
  const breakpoint = page.getByRole("button", { name: "Breakpoint on line 3", exact: true });
  await breakpoint.click();
  assert.equal(await breakpoint.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: /next breakpoint/ }).click();
  await atLine(page, 3);
  assert.match(await told(page, ".debug-facts"), /hits number 1/);

  await page.keyboard.press("Control+ArrowRight");
  await page.locator(".debug-call.is-current").filter({ hasText: /PEXPIRE/ }).waitFor();
  const call = await told(page, ".debug-call.is-current");
  assert.match(call, /Lua value number 1 Reply \(integer\) 1 RESP :1\\r\\n/);
  assert.match(await told(page, ".debug-facts .changes"), /PTTL 1000\).* others see no key/);

  await page.keyboard.press("Shift+ArrowLeft");
  await page.locator(".debug-call.is-current").waitFor({ state: "detached" });
  await atLine(page, 3);
  await page.getByRole("button", { name: /Back to the line before/ }).click();
  await page.getByRole("button", { name: /Back to the line before/ }).click();
  await atLine(page, 1);
  assert.match(await told(page, ".debug-facts"), /The script has called nothing yet.*The script has changed nothing yet/);
  // The timeline stays in view.
  assert.ok(await page.locator(".timeline").isVisible());
  assert.deepEqual(page.problems, []);
});

test("functions are gone into, with their upvalues, stack and watched expressions, up to the end", async () => {
  const page = await pasted();
  await page.getByRole("button", { name: "Breakpoint on line 7", exact: true }).click();
  await page.getByLabel("Line 7, if").fill("left == 2");
  await page.getByRole("button", { name: /next breakpoint/ }).click();
  await atLine(page, 7);
  assert.match(await told(page, ".debug-facts"), /limit number 3 left number 2 Upvalues hits number 1/);
  assert.match(await told(page, ".debug-stack"), /allowed line 7 the script itself line 9/);
  await page.getByRole("textbox", { name: /Watch this/ }).fill("left .. '/' .. limit");
  await page.keyboard.press("Enter");
  await page.locator(".debug-watches").filter({ hasText: '"2/3"' }).waitFor();
  await page.getByRole("button", { name: /Out of this function/ }).click();
  await atLine(page, 10);
  await page.getByRole("button", { name: /To the script's end/ }).click();
  await page.locator(".debug-facts").filter({ hasText: "The script has returned" }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("over runs a called function to its end, where into goes inside", async () => {
  const page = await pasted();
  const lines = async (name, numbers) => {
    for (const number of numbers) {
      await press(page, name);
      await atLine(page, number);
    }
  };
  await lines(/^Over/, [2, 3, 8, 9, 10]);
  await lines(/^Back to the line before/, [9]);
  await press(page, /^Into/);
  await atLine(page, 6);
  await press(page, /^Out of/);
  await atLine(page, 10);
  assert.deepEqual(page.problems, []);
});

test("what is watched changes nothing of the run, whatever it would do", async () => {
  const page = await pasted();
  const reply = await told(page, ".card .reply-box");
  await page.getByRole("button", { name: "Breakpoint on line 7", exact: true }).click();
  await page.getByRole("button", { name: /next breakpoint/ }).click();
  await atLine(page, 7);
  const watch = async (expression, shows) => {
    await page.getByRole("textbox", { name: /Watch this/ }).fill(expression);
    await page.keyboard.press("Enter");
    await page.locator(".debug-watches li").last().filter({ hasText: expression }).filter({ hasText: shows }).waitFor();
  };
  await watch("redis.call('SET', KEYS[1], 'spoilt')", '{ok = "OK"}');
  await watch("redis.call('GET', KEYS[1])", 'string"1"');
  await watch("rawset(KEYS, 1, 'other')", '{"other"}');
  await watch("KEYS[1]", 'string"mykey"');
  await watch("(function() hits = 100 return hits end)()", "number100");
  await watch("hits", "number1");
  await watch("(function() while true do end end)()", "it has not ended within 1000000 instructions");
  assert.match(await told(page, ".debug-facts .changes"), /mykey "1"/);
  await press(page, /To the script's end/);
  await page.locator(".debug-facts").filter({ hasText: "The script has returned" }).waitFor();
  assert.match(await told(page, ".debug-facts .changes"), /mykey "1"/);
  assert.equal(await told(page, ".card .reply-box"), reply);
  assert.deepEqual(page.problems, []);
});

test("a script that fails shows what it has written by then, and what the others still see", async () => {
  const page = await lesson("13-no-rollback", 2);
  await press(page, /To the script's end/);
  await page.locator(".debug-facts").filter({ hasText: "The script has failed" }).waitFor();
  const facts = await told(page, ".debug-facts");
  assert.match(facts, /ERR user_script:3: the receiver does not exist/);
  assert.match(facts, /account:ann "70" others see "100"/);
  await press(page, /Previous redis.call/);
  await page.locator(".debug-call.is-current").filter({ hasText: "EXISTS account:bob" }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("a script that was killed is stepped through up to the KILL", async () => {
  const page = await lesson("23-loop-inside-pcall", 1);
  await press(page, /To the script's end/);
  await page.locator(".debug-facts").filter({ hasText: "The script was killed" }).waitFor();
  await press(page, /Back one line or call/);
  await page.locator(".debug-line.is-current").waitFor();
  assert.deepEqual(page.problems, []);
});

test("coroutines are gone into, with who has resumed them", async () => {
  const page = await pasted(`local names = coroutine.wrap(function(first)
  local name = first
  coroutine.yield(name)
end)
return names(KEYS[1])
`);
  await page.getByRole("button", { name: "Breakpoint on line 3", exact: true }).click();
  await press(page, /next breakpoint/);
  await atLine(page, 3);
  assert.match(await told(page, ".debug-facts"), /first string "mykey" name string "mykey"/);
  assert.match(await told(page, ".debug-stack"), /line 3 coroutine, resumed by .* the script itself line 5/);
  await press(page, /On to the next breakpoint/);
  await page.locator(".debug-facts").filter({ hasText: "The script has returned" }).waitFor();
  assert.deepEqual(page.problems, []);
});

test("a breakpoint set where the script stands in the story is where its run stops", async () => {
  const page = await open(browser, `${site.url}#02-compare-and-delete&step=4`);
  await page.locator(".step-number").filter({ hasText: /^4 \/ [1-9]/ }).waitFor();
  const inStory = page.getByRole("button", { name: "Breakpoint on line 2 of $release" });
  await inStory.click();
  assert.equal(await inStory.getAttribute("aria-pressed"), "true");
  await debugged(page);
  await atLine(page, 1);
  assert.equal(await page.locator(".script-line.is-current").first().locator("button").innerText(), "1");
  const inDebugger = page.getByRole("button", { name: "Breakpoint on line 2", exact: true });
  assert.equal(await inDebugger.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: /next breakpoint/ }).click();
  await page.locator(".debug-facts").filter({ hasText: "The script has returned" }).waitFor();
  // A's release finds another's lock; B's goes into the branch, and the breakpoint is the script's, not the run's.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await atLine(page, 1);
  await page.getByRole("button", { name: /next breakpoint/ }).click();
  await atLine(page, 2);
  await page.keyboard.press("b");
  assert.equal(await inStory.getAttribute("aria-pressed"), "false");
  assert.deepEqual(page.problems, []);
});

test("breakpoints are set in the editor's gutter too, and go with their lines", async () => {
  const page = await open(browser, `${site.url}#02-compare-and-delete&step=7`);
  await page.locator(".step-number").filter({ hasText: /^7 \/ [1-9]/ }).waitFor();
  await page.keyboard.press("e");
  const editor = page.locator(".code-editor .cm-content");
  await editor.waitFor();
  const set = page.locator(".cm-breakpoint.is-set");
  // Dots stand beside the lines of scripts alone; the second is beside `return redis.call('DEL', …)`.
  await page.locator(".cm-breakpoint").nth(1).click();
  await set.waitFor();
  await page.locator(".cm-line").filter({ hasText: "if redis.call('GET'" }).first().click();
  await page.keyboard.press("Home");
  await page.keyboard.insertText("local why = 'not mine'\n");
  const inStory = (line) => page.getByRole("button", { name: `Breakpoint on line ${line} of $release` });
  await page.locator(".chip").first().waitFor();
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await inStory(5).waitFor();
  assert.equal(await inStory(3).getAttribute("aria-pressed"), "true");
  assert.equal(await inStory(2).getAttribute("aria-pressed"), "false");
  await page.keyboard.press("e");
  await editor.waitFor();
  await page.locator(".cm-line").filter({ hasText: "return redis.call('DEL'" }).first().click();
  await set.waitFor();
  await page.keyboard.press("F9");
  await set.waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("axe finds no barrier in the debugger, and a narrow page has it too", async () => {
  const page = await pasted();
  const { violations } = await new AxeBuilder({ page }).include(".debugger").analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
  const phone = await pasted(LIMITER, { viewport: { width: 390, height: 844 } });
  await phone.getByRole("button", { name: /Next redis.call/ }).click();
  await phone.locator(".debug-call.is-current").waitFor();
  assert.deepEqual(phone.problems, []);
});
