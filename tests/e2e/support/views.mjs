// Every view of the page, and how to come to it: for what is to hold on all of them.
import { open } from "./browser.mjs";

const reached = (page, text) => page.locator(".step-number").filter({ hasText: text }).waitFor();

/** A story at a step, told to its end. */
async function at(browser, url, place, options) {
  const page = await open(browser, `${url}#${place}`, options);
  const step = /step=(\d+)/.exec(place)?.[1] ?? "0";
  await reached(page, new RegExp(`^${step} / [1-9]`));
  await page.locator(".engine-state").filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  return page;
}

/** `show` brings a view up on the page of `place`. */
const WIDE = [
  { name: "home", place: "01-lock-stolen" },
  { name: "step", place: "01-lock-stolen&step=5" },
  { name: "question", place: "01-lock-stolen&step=4", show: (page) => page.getByRole("button", { name: /nobody's/ }).click() },
  { name: "notes", place: "11-what-scripts-return&step=6", show: (page) => page.locator(".note summary").first().click() },
  { name: "busy", place: "21-busy&step=3" },
  { name: "task", place: "06-get-then-incr&step=4", show: (page) => page.locator(".checks").first().scrollIntoViewIfNeeded() },
  { name: "end of a lesson", place: "01-lock-stolen&step=8", show: (page) => page.locator(".next-lesson").scrollIntoViewIfNeeded() },
  { name: "gallery", place: "01-lock-stolen", show: (page) => page.keyboard.press("l") },
  {
    name: "begin with a script",
    place: "01-lock-stolen",
    async show(page) {
      await page.keyboard.press("l");
      const dialog = page.getByRole("dialog", { name: "Choose a story" });
      await dialog.getByText("Your own story").click();
      await dialog.getByRole("textbox", { name: "Begin with a script" }).fill("return redis.call('GET', KEYS[1])\n");
    },
  },
  { name: "share", place: "06-get-then-incr&step=4", show: (page) => page.getByRole("button", { name: "Share" }).click() },
  { name: "help", place: "01-lock-stolen", show: (page) => page.keyboard.press("?") },
  {
    name: "editor",
    place: "02-compare-and-delete&step=4",
    async show(page) {
      await page.keyboard.press("e");
      await page.locator(".code-editor .cm-content").waitFor();
    },
  },
  {
    name: "editor with mistakes",
    place: "own",
    text: "```lua spin\nlocal n = 0\nwhile true do n = n + 1 end\n```\n```redis\nA> SET k 1\nnil\nA> EVAL $spin 0\nA> GET \"k\n```\n",
    async show(page) {
      await page.keyboard.press("e");
      await page.locator(".cm-lintRange-error").waitFor();
    },
  },
  {
    name: "lints and differences",
    place: "own",
    text: "```lua spin\nlocal n = 0\nwhile true do n = n + 1 end\n```\n```redis\nA> SET k 1\n(nil)\nA> GET k\n\"2\"\n@ finally GET k\n\"3\"\n```\n",
    async show(page) {
      await page.keyboard.press("e");
      await page.locator(".cm-difference").first().waitFor();
      await page.getByRole("region", { name: "Lints" }).locator("summary").click({ timeout: 30_000 });
    },
  },
  {
    name: "debugger",
    place: "02-compare-and-delete&step=4",
    async show(page) {
      await page.keyboard.press("Shift+ArrowRight");
      await page.locator(".debug-line.is-current").waitFor();
      await page.keyboard.press("Control+ArrowRight");
      await page.locator(".debug-call.is-current").waitFor();
      await page.keyboard.press("b");
    },
  },
  { name: "debugger without a script", place: "01-lock-stolen&step=1", show: (page) => page.getByRole("tab", { name: "Debugger" }).click() },
  {
    name: "explore",
    place: "06-get-then-incr&step=1",
    async show(page) {
      await page.getByRole("tab", { name: "Explore" }).click();
      await page.getByRole("button", { name: "Explore" }).click();
      await page.locator(".outcomes tbody tr").first().waitFor();
    },
  },
  {
    name: "large panel",
    place: "06-get-then-incr&step=4",
    async show(page) {
      await page.getByRole("tab", { name: "Explore" }).click();
      await page.getByRole("button", { name: "Larger panel" }).click();
      await page.getByRole("button", { name: "Explore" }).click();
      await page.locator(".outcomes tbody tr").first().waitFor();
    },
  },
  {
    name: "values",
    place: "own&step=9",
    text: [
      'A> SET text "a longer text, with \\"quotes\\" and \\x00 bytes"',
      "A> RPUSH list one two three four five six seven eight",
      "A> SADD set red green blue",
      "A> HSET hash name Ann mail ann@example.org visits 42",
      "A> ZADD sorted 1 first 2.5 second 300 third",
      "A> XADD stream 1-1 field value other 2",
      "A> SETBIT bits 7 1",
      "A> PFADD visitors a b c",
      "A> SET lease x PX 1500",
      "",
    ].join("\n"),
  },
  { name: "memory", place: "28-maxmemory&step=4", show: (page) => page.locator(".memory").scrollIntoViewIfNeeded() },
  { name: "cluster", place: "27-cluster-slots&step=3" },
  {
    name: "consoles",
    place: "26-watch&step=4",
    async show(page) {
      const prompt = page.getByRole("textbox", { name: "Command of client A" });
      await prompt.pressSequentially("CLIENT TR");
      await page.locator(".prompt-help").filter({ hasText: /./ }).first().waitFor();
    },
  },
  {
    name: "branches",
    place: "own&step=1",
    text: "A> PING\n",
    async show(page) {
      const prompt = page.getByRole("textbox", { name: "Command of client A" });
      for (const command of ["SET one 1", "SET other 2"]) {
        await prompt.fill(command);
        await prompt.press("Enter");
        await reached(page, /^2 \/ 2/);
        if (command === "SET one 1") {
          await page.getByRole("button", { name: "Undo" }).click();
          await reached(page, /\/ 1/);
        }
      }
      await page.getByRole("button", { name: "1 other branch of this story" }).click();
    },
  },
  {
    name: "empty story",
    place: "01-lock-stolen",
    async show(page) {
      await page.keyboard.press("l");
      const dialog = page.getByRole("dialog", { name: "Choose a story" });
      await dialog.getByText("Your own story").click();
      await dialog.getByRole("button", { name: "An empty story" }).click();
      await page.locator(".reading .paste").waitFor();
    },
  },
  { name: "problem", place: "v1.d.AAAA", waits: (page) => page.getByRole("alert").waitFor() },
];

const tab = (name) => (page) => page.getByRole("navigation").getByRole("button", { name }).click();
const PHONE = [
  { name: "home", place: "01-lock-stolen" },
  { name: "steps", place: "02-compare-and-delete&step=4" },
  { name: "question", place: "01-lock-stolen&step=4", show: tab("Steps") },
  { name: "busy", place: "21-busy&step=3" },
  { name: "keys", place: "17-script-cache&step=3", show: tab("Keys") },
  { name: "tools", place: "26-watch&step=4", show: tab("Tools") },
  {
    name: "debugger",
    place: "02-compare-and-delete&step=4",
    async show(page) {
      await page.keyboard.press("Shift+ArrowRight");
      await page.locator(".debug-line.is-current").waitFor();
    },
  },
  {
    name: "explore",
    place: "06-get-then-incr&step=1",
    async show(page) {
      await tab("Tools")(page);
      await page.getByRole("tab", { name: "Explore" }).click();
      await page.getByRole("button", { name: "Explore" }).click();
      await page.locator(".outcomes tbody tr").first().waitFor();
    },
  },
  { name: "gallery", place: "01-lock-stolen", show: (page) => page.locator(".chooser").click() },
  { name: "share", place: "01-lock-stolen", show: (page) => page.getByRole("button", { name: "Share" }).click() },
  {
    name: "editor",
    place: "02-compare-and-delete",
    async show(page) {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.locator(".code-editor .cm-content").waitFor();
    },
  },
];

export const SIZES = {
  wide: { width: 1440, height: 900 },
  laptop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
};

export const viewsOf = (size) => (size === "phone" ? PHONE : WIDE);

/** Opens a view in a window of a size; the page is to be closed with its context. */
export async function openView(browser, url, view, size, options = {}) {
  const isPhone = size === "phone";
  const all = { viewport: SIZES[size], hasTouch: isPhone, isMobile: isPhone, ...options };
  const text = view.text;
  let place = view.place;
  if (text !== undefined) {
    all.storageState = { cookies: [], origins: [{ origin: new URL(url).origin, localStorage: [{ name: "redis-scripting-playground:own:view", value: text }] }] };
    place = place.replace("own", "own.view");
  }
  let page;
  if (view.waits) {
    page = await open(browser, `${url}#${place}`, all);
    await view.waits(page);
  } else page = await at(browser, url, place, all);
  await view.show?.(page);
  return page;
}
