// A story in the page: stepped through, changed, and survived.
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

const STOLEN = "01-lock-stolen";

/** Opens a story and waits until it has been run to its end. */
async function openStory(name = STOLEN, options = {}) {
  const page = await open(browser, `${site.url}#${name}`, options);
  await page.locator(".step-number").filter({ hasText: /\/ [1-9]/ }).waitFor();
  return page;
}

/** What is seen at the reader's position. */
async function seen(page) {
  const text = async (selector) => (await page.locator(selector).allInnerTexts()).join("\n").replace(/\s+/g, " ").trim();
  return { step: await text(".step-number"), card: await text(".card"), keys: await text(".keys tbody") };
}

const atStep = (page, step) => page.locator(".step-number").filter({ hasText: new RegExp(`^${step} /`) }).waitFor();

const STEPS = [
  { command: "SET lock A NX PX 300", reply: "OK", keys: /added lock string .* "A" 300 ms/ },
  { command: "GET lock", reply: '"A"', keys: /^lock string .* "A" 300 ms/ },
  { command: "+400ms", reply: "", keys: /expired lock "A" expired/ },
  { command: "SET lock B NX PX 30000", reply: "OK", keys: /added lock string .* "B" 30 s/ },
  { command: "DEL lock", reply: "(integer) 1", keys: /removed lock "B" removed/ },
  { command: "EXISTS lock", reply: "(integer) 0", keys: /^$/ },
  { command: "SET lock C NX PX 30000", reply: "OK", keys: /lock string .* "C" 30 s/ },
  { command: "GET lock", reply: '"C"', keys: /lock string .* "C" 30 s/ },
];

async function checkStep(page, number) {
  await atStep(page, number);
  const { card, keys } = await seen(page);
  if (number === 0) return assert.match(card, /Before the first step/);
  const expected = STEPS[number - 1];
  assert.ok(card.includes(expected.command), `step ${number}: ${card}`);
  assert.ok(card.includes(expected.reply), `step ${number}: ${card}`);
  assert.match(keys, expected.keys, `step ${number}`);
}

test("the stolen lock is stepped to its end and back to its start", async () => {
  const page = await openStory();
  await checkStep(page, 0);
  const next = page.getByRole("button", { name: "Next", exact: true });
  for (let number = 1; number <= STEPS.length; number++) {
    await next.click();
    await checkStep(page, number);
  }
  assert.ok(await next.isDisabled());
  for (let number = STEPS.length - 1; number >= 0; number--) {
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await checkStep(page, number);
  }
  assert.deepEqual(page.problems, []);
});

test("the keyboard alone steps, plays, reads and writes", async () => {
  const page = await openStory();
  await page.keyboard.press("ArrowRight");
  await checkStep(page, 1);
  await page.keyboard.press("End");
  await checkStep(page, STEPS.length);
  await page.keyboard.press("ArrowLeft");
  await checkStep(page, STEPS.length - 1);
  await page.keyboard.press("Home");
  await checkStep(page, 0);
  await page.getByLabel("Speed").selectOption({ label: "8×" });
  await page.locator("h1").click();
  await page.keyboard.press("Space");
  await atStep(page, STEPS.length);
  // The step is said to whoever does not see it.
  await page.locator("#announcer").filter({ hasText: "Step 8: B sends GET lock" }).waitFor();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Choose a story" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  // The page hears of it with the event behind that, and takes no key before.
  await page.evaluate(() => new Promise((told) => requestAnimationFrame(() => setTimeout(told))));
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "The story as text" }).waitFor();
  // Every control can be reached by Tab, and none holds it.
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  const reached = new Set();
  for (let press = 0; press < 80; press++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.className.split(" ")[0] ?? ""));
  }
  for (const name of ["chooser", "next", "scrubber", "chip"]) assert.ok(reached.has(name), `${name} of ${[...reached]}`);
});

test("the address opens a step, and follows the reader", async () => {
  const page = await openStory(`${STOLEN}&step=5`);
  await checkStep(page, 5);
  await page.keyboard.press("ArrowRight");
  await checkStep(page, 6);
  await page.waitForURL(/#01-lock-stolen&step=6$/);
});

/** Types a command into the terminal of a client. */
async function type(page, client, command) {
  const prompt = page.getByRole("textbox", { name: `Command of client ${client}` });
  await prompt.fill(command);
  await prompt.press("Enter");
}

test("a typed command becomes a step where the reader stands, and can be undone", async () => {
  const page = await openStory(`${STOLEN}&step=2`);
  await checkStep(page, 2);
  await type(page, "B", "SET lock mine");
  await page.locator(".step-number").filter({ hasText: "3 / 9" }).waitFor();
  assert.match((await seen(page)).card, /SET lock mine .* OK/);
  await page.locator(".edited").waitFor();
  // The rest of the story has changed with it.
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await page.locator(".step-number").filter({ hasText: "9 / 9" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".step-number").filter({ hasText: "/ 8" }).waitFor();
});

test("what was undone before something else was written stays as a branch, over a reload too", async () => {
  const page = await openStory(`${STOLEN}&step=8`);
  await type(page, "A", "SET first way");
  await page.locator(".step-number").filter({ hasText: "9 / 9" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /other branch/ }).count(), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".step-number").filter({ hasText: "/ 8" }).waitFor();
  await type(page, "B", "SET second way");
  await page.locator(".step-number").filter({ hasText: "9 / 9" }).waitFor();
  await page.getByRole("button", { name: "1 other branch of this story" }).waitFor();

  await page.waitForURL(/step=9/);
  await page.reload();
  await page.locator(".card").filter({ hasText: "SET second way" }).waitFor();
  await page.getByRole("button", { name: "1 other branch of this story" }).click();
  const dialog = page.getByRole("dialog", { name: "Branches" });
  await dialog.getByRole("button", { name: /A> SET first way/ }).click();
  await page.locator(".card").filter({ hasText: "SET first way" }).waitFor();

  await page.getByRole("button", { name: "1 other branch of this story" }).click();
  await dialog.getByText("B> SET second way").waitFor();
  await dialog.getByRole("button", { name: /Drop the branch/ }).click();
  await dialog.getByText("There is no other branch now.").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("button", { name: /other branch/ }).count(), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".step-number").filter({ hasText: "/ 8" }).waitFor();
});

test("a command that cannot be read is refused in place", async () => {
  const page = await openStory();
  await type(page, "A", 'SET lock "A');
  await page.getByRole("alert").waitFor();
  assert.match((await seen(page)).step, /\/ 8$/);
});

/** Opens the editor, and waits until it is the better one. */
async function edit(page) {
  await page.keyboard.press("e");
  const editor = page.locator(".code-editor .cm-content");
  await editor.waitFor();
  return {
    text: () => page.locator(".code-editor").evaluate((element) => element.value),
    async fill(text) {
      await editor.click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText(text);
    },
  };
}

test("a mistake in the text is told with its place, and the story stays until it is mended", async () => {
  const page = await openStory();
  const editor = await edit(page);
  const text = await editor.text();
  await editor.fill(text.replace("GET lock", "GET $nothing"));
  await page.getByText('no script is called "nothing"').waitFor();
  assert.match((await seen(page)).step, /\/ 8$/);
  await editor.fill(text.replace("A> GET lock", "A> STRLEN lock"));
  await page.locator(".chip").filter({ hasText: "STRLEN lock" }).waitFor();
});

test("what a script does wrong is told while it is written, and can be let off", async () => {
  const page = await openStory();
  const editor = await edit(page);
  const story = (line) => `\`\`\`lua spin\nlocal n = 0\n${line}\n\`\`\`\n\`\`\`redis\nA> EVAL $spin 0\n\`\`\`\n`;
  await editor.fill(story("while true do n = n + 1 end"));
  const lints = page.getByRole("region", { name: "Lints" });
  await lints.getByText("1 thing to look at").waitFor({ timeout: 30_000 });
  await lints.locator("summary").click();
  await lints.getByRole("button", { name: /3/ }).click();
  await page.locator(".cm-lintRange-warning").waitFor();
  await editor.fill(story("while true do n = n + 1 end -- lint: allow endless-loop"));
  await lints.waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("a reload in the middle of everything loses nothing", async () => {
  const page = await openStory(`${STOLEN}&step=3`);
  const editor = await edit(page);
  const text = (await editor.text()).replace("The stolen lock", "My own lock");
  await editor.fill(text);
  await page.reload();
  await page.locator(".step-number").filter({ hasText: "3 / 8" }).waitFor();
  await page.locator(".chooser").filter({ hasText: "My own lock" }).waitFor();
  await page.locator(".code-editor .cm-content").waitFor();
  assert.equal(await editor.text(), text);
});

test("a script that never ends in Lua is a step like any other", async () => {
  const page = await openStory("21-busy");
  await page.keyboard.press("End");
  await page.getByText("BUSY", { exact: true }).first().waitFor();
  assert.deepEqual(page.problems, []);
});

test("who held a client up, and who ended that, is said and leads there", async () => {
  const page = await openStory("21-busy&step=1");
  const course = page.locator(".card .course");
  await course.getByText("from here on the others are answered BUSY").waitFor();
  await course.locator("li").filter({ hasText: /killed by.*Step 6.*C/s }).waitFor();
  await page.keyboard.press("ArrowRight");
  await course.locator("li").filter({ hasText: /held up by.*Step 1.*A/s }).waitFor();
  assert.equal(await page.locator(".lane.client .thread").count(), 1);
  await course.getByRole("button", { name: "Step 1" }).click();
  await atStep(page, 1);
});

test("a pattern that would be tried for hours is bounded, and is a step like any other", { timeout: 90_000 }, async () => {
  const page = await openStory(`${STOLEN}&step=1`);
  await type(page, "B", `EVAL "return ('a'):rep(1e5):find('.-.-.-.-b')" 0`);
  await page.locator(".step-number").filter({ hasText: "2 / 9" }).waitFor({ timeout: 60_000 });
  assert.equal(await page.locator(".chip.is-spoilt").count(), 0);
  assert.deepEqual(page.problems, []);
});

// The budget counts Lua's instructions and what its libraries do, not how long each command takes.
test("a script whose commands take too long costs its own step and nothing else", { timeout: 90_000 }, async () => {
  const page = await openStory(`${STOLEN}&step=1`);
  await type(page, "B", `EVAL "redis.call('setrange','k',2^28,'x') while true do redis.call('bitcount','k') end" 0`);
  await page.getByText("Running step 2").waitFor({ timeout: 20_000 });
  // The page answers while it runs.
  await page.getByRole("button", { name: "To the beginning" }).click();
  await atStep(page, 0);
  // The engine is replaced, and the story told without the step.
  await page.locator(".chip.is-spoilt").waitFor({ timeout: 40_000 });
  await page.locator(".step-number").filter({ hasText: "/ 9" }).waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await page.locator(".step-number").filter({ hasText: "9 / 9" }).waitFor({ timeout: 20_000 });
  assert.match((await seen(page)).card, /GET lock .* "C"/);
  await page.locator(".chip.is-spoilt").click();
  await page.getByText("The engine did not come back from this command").waitFor();
});

const GREEDY = {
  "takes memory without end": [`EVAL "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end" 0`, /never ends, or takes more memory than there is/],
  "calls itself without end": [`EVAL "local function f() return 1 + f() end return f()" 0`, /ERR user_script:1: stack overflow/],
  "returns a table that holds itself": [`EVAL "local t = {} t[1] = t return t" 0`, /^1\) 1\) 1\).*\(\d+ more levels\)/],
};
for (const [what, [command, says]] of Object.entries(GREEDY)) {
  test(`a script that ${what} says so on its step, and the story goes on`, { timeout: 120_000 }, async () => {
    const page = await openStory(`${STOLEN}&step=1`);
    await type(page, "B", command);
    await page.locator(".step-number").filter({ hasText: "/ 9" }).waitFor({ timeout: 60_000 });
    await page.locator(".chip").nth(1).waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await atStep(page, 2);
    await page.locator(".card .reply-box").filter({ hasText: says }).waitFor({ timeout: 60_000 });
    await page.keyboard.press("End");
    await atStep(page, 9);
    assert.match((await seen(page)).card, /GET lock .* "C"/);
  });
}

test("a value of 50 MB is shown in short, and the story goes on", { timeout: 120_000 }, async () => {
  const page = await openStory(`${STOLEN}&step=1`);
  await type(page, "B", `SETRANGE big 52428799 x`);
  await atStep(page, 2);
  await type(page, "B", "GET big");
  await atStep(page, 3);
  await page.locator(".card .reply-box").filter({ hasText: "\\x00" }).waitFor({ timeout: 60_000 });
  assert.ok((await page.locator(".card .reply-box").innerText()).length < 200_000, "the reply is shown in short");
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await atStep(page, 10);
  assert.match((await seen(page)).card, /GET lock .* "C"/);
});

test("on a phone every panel is one touch away and nothing is wider than the screen", async () => {
  const page = await openStory(STOLEN, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const next = page.getByRole("button", { name: "Next", exact: true });
  await page.locator(".story").getByText("A lock in Redis is a key.").waitFor();
  assert.equal(await page.locator(".rails").isVisible(), false, "a phone begins with the story to read");
  for (let number = 1; number <= 4; number++) {
    await next.tap();
    await atStep(page, number);
  }
  await page.locator(".row.is-current").filter({ hasText: "SET lock B NX PX 30000" }).waitFor();
  for (const tab of ["Story", "Keys", "Tools", "Steps"]) {
    await page.getByRole("navigation").getByRole("button", { name: tab }).tap();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${tab} is ${width} pixels wide`);
  }
  const box = await next.boundingBox();
  assert.ok(box.height >= 44 && box.y > 600, JSON.stringify(box));
});

test("a reply that came differently is taken with one click, and nothing else is changed", async () => {
  const page = await openStory();
  const editor = await edit(page);
  await editor.fill('A> INCR n\n(integer) 5\nA> GET n\n"9"\n');
  await page.locator(".cm-difference").nth(1).waitFor();
  await page.locator(".cm-difference").first().getByRole("button", { name: "Take it" }).click();
  await page.locator(".cm-difference").nth(1).waitFor({ state: "detached" });
  assert.equal(await editor.text(), 'A> INCR n\n(integer) 1\nA> GET n\n"9"\n');
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".cm-difference").nth(1).waitFor();
});

test("what is typed in the editor is completed from the engine's commands, and steps nothing", async () => {
  const page = await openStory();
  const editor = await edit(page);
  await editor.fill("A> PING\n");
  await page.keyboard.type("B> CLIENT TRACKINGINF");
  await page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "CLIENT TRACKINGINFO" }).first().waitFor();
  // CodeMirror takes a key that comes at once for one of the text.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  assert.equal(await editor.text(), "A> PING\nB> CLIENT TRACKINGINFO");
});

test("a story is written, shared, and opened in a fresh profile at the same step", async () => {
  const author = await openStory();
  const editor = await edit(author);
  const text = "A> SET greeting hello\nOK\nB> APPEND greeting \" world\"\nA> GET greeting\n";
  await editor.fill(text);
  await author.locator(".step-number").filter({ hasText: "/ 3" }).waitFor();
  await author.locator("h1").click();
  await author.keyboard.press("ArrowRight");
  await author.keyboard.press("ArrowRight");
  await atStep(author, 2);
  await author.getByRole("button", { name: "Share" }).click();
  const link = await author.getByRole("textbox", { name: "Link" }).inputValue();
  assert.match(link, /#v1\.[dr]\.[\w-]+$/);
  const reader = await open(browser, link);
  await atStep(reader, 2);
  assert.match((await seen(reader)).card, /APPEND greeting " world" .*\(integer\) 11/);
  const readers = await edit(reader);
  assert.equal(await readers.text(), text);
  // It is kept like the reader's own.
  await reader.reload();
  await atStep(reader, 2);
  assert.deepEqual(reader.problems, []);
});

test("a link that was cut says so, and shows no other story in its place", async () => {
  const page = await open(browser, `${site.url}#v1.d.AAAA`);
  await page.getByRole("alert").filter({ hasText: "cut or changed on its way" }).waitFor();
  await page.getByText("Tell a story of your own").waitFor();
});

test("a pasted script becomes a story that calls it with what it asks for", async () => {
  const page = await openStory();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Choose a story" });
  await dialog.getByText("Your own story").click();
  await dialog.getByRole("textbox", { name: "Begin with a script" }).fill(
    "local n = redis.call('INCR', KEYS[1])\nif n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end\nreturn n <= tonumber(ARGV[1]) and 1 or 0",
  );
  await dialog.getByRole("button", { name: "Make a story of it" }).click();
  await page.locator(".step-number").filter({ hasText: "/ 2" }).waitFor();
  await page.keyboard.press("End");
  await page.locator(".keys tbody").filter({ hasText: "mykey" }).waitFor();
  assert.match((await seen(page)).card, /EVAL \$script 1 mykey 1 60/);
});

test("two tabs with one story do not overwrite each other", async () => {
  const one = await openStory();
  const other = await one.context().newPage();
  await other.goto(one.url());
  await other.locator(".chip").first().waitFor();
  await type(one, "A", "SET tab one");
  await one.locator(".step-number").filter({ hasText: "/ 9" }).waitFor();
  await type(other, "A", "SET tab two");
  await other.getByRole("alert").filter({ hasText: "Another tab" }).waitFor();
  await one.reload();
  await one.locator(".chip").filter({ hasText: "SET tab one" }).waitFor();
  await other.reload();
  await other.locator(".chip").filter({ hasText: "SET tab two" }).waitFor();
});

test("a prompt completes commands and keys by Tab, says how they are written, and holds nobody up", async () => {
  const page = await openStory(`${STOLEN}&step=1`);
  const prompt = page.getByRole("textbox", { name: "Command of client A" });
  const help = page.locator(".prompt-help").first();
  await prompt.pressSequentially("pexpiret");
  await help.filter({ hasText: /./ }).waitFor({ state: "attached" });
  await prompt.press("Tab");
  assert.equal(await prompt.inputValue(), "PEXPIRETIME ");
  await help.filter({ hasText: "PEXPIRETIME key" }).waitFor();
  await prompt.pressSequentially("lo");
  await prompt.press("Tab");
  assert.equal(await prompt.inputValue(), "PEXPIRETIME lock");
  await prompt.press("Enter");
  await page.locator(".card").filter({ hasText: /PEXPIRETIME lock.*integer/s }).waitFor();

  await prompt.fill("CLIENT NO-");
  await prompt.press("Tab");
  assert.equal(await prompt.inputValue(), "CLIENT NO-EVICT ");
  await help.filter({ hasText: "NO-EVICT NO-TOUCH" }).waitFor();
  await prompt.press("Tab");
  assert.equal(await prompt.inputValue(), "CLIENT NO-TOUCH ");
  await prompt.press("Tab");
  assert.equal(await prompt.inputValue(), "CLIENT NO-");
  await prompt.press("Tab");
  assert.equal(await prompt.evaluate((field) => field === document.activeElement), false);
});

test("memory is told at every step: how much, its limit, and what had to go", async () => {
  const page = await openStory();
  const editor = await edit(page);
  const steps = ["CONFIG SET maxmemory-policy allkeys-lru", "SET old 1", "SET new 2", "CONFIG SET maxmemory 1"];
  await editor.fill(steps.map((step) => `A> ${step}\n`).join("") + "A> SET more 3\n");
  await page.locator(".step-number").filter({ hasText: "/ 5" }).waitFor();
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
  await atStep(page, 3);
  const memory = page.locator(".memory");
  assert.match(await memory.innerText(), /[\d,]{7,} bytes in use/);
  assert.doesNotMatch(await memory.innerText(), /maxmemory|evicted/);
  await memory.getByText("By key").click();
  assert.match(await memory.innerText(), /old\s+\d+ bytes/);
  await page.keyboard.press("End");
  await memory.getByText("maxmemory 1, allkeys-lru").waitFor();
  await memory.getByText("2 keys evicted so far").waitFor();
});

test("the script cache tells how often each script has run", async () => {
  const page = await openStory("17-script-cache&step=2");
  const cached = page.locator(".scripts li").first();
  await cached.filter({ hasText: /4e6d8fc8.*SCRIPT LOAD.*ran 0×/s }).waitFor();
  await page.keyboard.press("ArrowRight");
  await cached.filter({ hasText: "ran 1×" }).waitFor();
});

test("what is open beside the story goes with the link, and stays over a reload", async () => {
  const page = await openStory(`${STOLEN}&step=2`);
  await page.getByRole("tab", { name: "Explore" }).click();
  await page.getByRole("button", { name: "Larger panel" }).click();
  await page.waitForURL(/#01-lock-stolen&step=2&view=explore\.large$/);
  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
  const reader = await open(browser, link);
  await atStep(reader, 2);
  await reader.getByRole("tab", { name: "Explore", selected: true }).waitFor();
  assert.equal(await reader.getByRole("button", { name: "Larger panel" }).getAttribute("aria-pressed"), "true");
  // An own story's link is its text; it holds this too.
  const editor = await edit(reader);
  await editor.fill("A> PING\n");
  await reader.locator(".step-number").filter({ hasText: "/ 1" }).waitFor();
  await reader.getByRole("button", { name: "Share" }).click();
  const other = await open(browser, await reader.getByRole("textbox", { name: "Link" }).inputValue());
  await other.getByRole("tab", { name: "Explore", selected: true }).waitFor();
  assert.equal(await other.locator(".code-editor").count(), 0, "who gets a link reads first");
  await reader.reload();
  await reader.locator(".code-editor .cm-content").waitFor();
});

test("where a script is pasted it looks like one", async () => {
  const page = await openStory();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Choose a story" });
  await dialog.getByText("Your own story").click();
  const family = await dialog.getByRole("textbox", { name: "Begin with a script" }).evaluate((area) => getComputedStyle(area).fontFamily);
  assert.match(family, /mono/i);
});
