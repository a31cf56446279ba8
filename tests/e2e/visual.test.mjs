// What the page looks like: some of its views beside pictures that somebody has looked at.
//
// Pictures are kept at half their size, and a few pixels may differ by a little: what smooths type is not always the same. They
// hold for the fonts that they were made with, which `visual/made-with.json` knows by how wide they are. After a change that is meant:
// `RENEW=1 node --test tests/e2e/visual.test.mjs`, then look at each picture that git calls changed.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";
import { openView, viewsOf } from "./support/views.mjs";

const KEPT = new URL("visual/", import.meta.url);
/** Where the pictures of a failure are put. */
const FAILED = new URL("../../target/visual/", import.meta.url);
const isRenewing = Boolean(process.env.RENEW);

/** Size, theme and view. */
const PICTURES = [
  ["laptop", "light", "home"],
  ["laptop", "dark", "question"],
  ["laptop", "light", "busy"],
  ["laptop", "light", "end of a lesson"],
  ["laptop", "dark", "debugger"],
  ["laptop", "light", "editor with mistakes"],
  ["laptop", "light", "explore"],
  ["laptop", "dark", "values"],
  ["laptop", "light", "gallery"],
  ["phone", "light", "home"],
  ["phone", "dark", "steps"],
  ["phone", "light", "keys"],
  ["phone", "light", "debugger"],
];

/** A pixel differs where a colour does by more than this, of 255; and so many pixels of a thousand may. */
const COLOUR_MAX = 40;
const PIXELS_MAX = 2;

let site, browser, easel, fonts;

before(async () => {
  [site, browser] = await Promise.all([serve(), launch()]);
  easel = await open(browser, "about:blank");
  fonts = await easel.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    return ["system-ui, sans-serif", "ui-monospace, monospace"].map((family) => {
      pen.font = `16px ${family}`;
      return Math.round(pen.measureText("The stolen lock: SET lock A NX PX 300").width * 10);
    });
  });
});

after(async () => {
  await browser?.close();
  site?.close();
});

/** A picture at half its size, and how many of a thousand pixels differ from another one. Drawn by the browser, so that nothing else is needed. */
const compare = (shot, kept) =>
  easel.evaluate(
    async ({ shot, kept, max }) => {
      const load = async (bytes) => createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
      const picture = await load(shot);
      const canvas = new OffscreenCanvas(picture.width / 2, picture.height / 2);
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen.imageSmoothingQuality = "high";
      pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
      // Sixteen steps of each colour make a file of half the size.
      const pixels = pen.getImageData(0, 0, canvas.width, canvas.height);
      const { data } = pixels;
      for (let at = 0; at < data.length; at++) data[at] = Math.round(data[at] / 17) * 17;
      pen.putImageData(pixels, 0, 0);
      const half = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      const answer = { half: half.toBase64?.() ?? btoa(Array.from(half, (byte) => String.fromCharCode(byte)).join("")), differing: 1000 };
      if (!kept) return answer;
      const before = await load(kept);
      if (before.width !== canvas.width || before.height !== canvas.height) return answer;
      pen.drawImage(before, 0, 0);
      const old = pen.getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        if ([0, 1, 2].some((part) => Math.abs(data[at + part] - old[at + part]) > max)) count++;
      }
      return { ...answer, differing: (count * 4000) / data.length };
    },
    { shot, kept, max: COLOUR_MAX },
  );

const read = (name) => {
  try {
    return readFileSync(new URL(name, KEPT));
  } catch {
    return undefined;
  }
};

for (const [size, colorScheme, name] of PICTURES) {
  test(`${size}, ${colorScheme}: ${name} looks as it did`, { timeout: 60_000 }, async (t) => {
    const madeWith = JSON.parse(read("made-with.json") ?? "{}");
    if (!isRenewing && JSON.stringify(madeWith.fonts) !== JSON.stringify(fonts)) return t.skip("the pictures were made with other fonts");
    const view = viewsOf(size).find((view) => view.name === name);
    const page = await openView(browser, site.url, view, size, { colorScheme });
    // Nothing is pointed at, and nothing has the focus.
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement?.blur());
    const shot = await page.screenshot({ animations: "disabled" });
    await page.context().close();
    const file = `${size}-${colorScheme}-${name.replaceAll(" ", "-")}.png`;
    const { half, differing } = await compare(shot.toString("base64"), read(file)?.toString("base64"));
    const picture = Buffer.from(half, "base64");
    if (isRenewing) {
      if (differing <= PIXELS_MAX) return;
      mkdirSync(KEPT, { recursive: true });
      writeFileSync(new URL("made-with.json", KEPT), `${JSON.stringify({ fonts })}\n`);
      return writeFileSync(new URL(file, KEPT), picture);
    }
    if (differing > PIXELS_MAX) {
      mkdirSync(FAILED, { recursive: true });
      writeFileSync(new URL(file, FAILED), picture);
    }
    assert.ok(differing <= PIXELS_MAX, `${differing.toFixed(1)} of a thousand pixels differ; the new picture is target/visual/${file}`);
  });
}
