// The sample site of each docs tool, built by the tool itself and opened as a reader does, the playground on another origin.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";

let playground, browser;
const folders = [];

before(async () => {
  [playground, browser] = await Promise.all([serve(), launch()]);
});

after(async () => {
  await browser?.close();
  playground?.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  folders.push(folder);
  return folder;
}

const run = (program, words, options) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], ...options });

/** Builds the sample into a folder; `embed` is where its pages find the playground's script. */
const TOOLS = {
  mdBook(folder, embed) {
    // The preprocessor is our own program, which lies beside the one that runs these tests.
    const path = process.env.PLAYGROUND_XTASK ? dirname(process.env.PLAYGROUND_XTASK) : "target/debug";
    const env = { ...process.env, PATH: path + delimiter + process.env.PATH, MDBOOK_PREPROCESSOR__PLAYGROUND__SRC: embed };
    run("mdbook", ["build", "plugins/mdbook", "--dest-dir", folder], { env });
  },
  Hugo(folder, embed) {
    const env = { ...process.env, HUGO_PARAMS_PLAYGROUND: embed };
    run("hugo", ["--noBuildLock", "--quiet", "--source", "plugins/hugo/sample", "--destination", folder], { env });
  },
  AsciiDoctor(folder, embed) {
    const words = ["-r", "./plugins/asciidoctor/redis_playground.rb", "-a", `playground=${embed}`];
    run("asciidoctor", [...words, "-o", join(folder, "index.html"), "plugins/asciidoctor/sample.adoc"]);
  },
  remark(folder, embed) {
    const page = run("node", ["plugins/remark/sample/build.mjs", "plugins/mdbook/src/counters.md", embed]);
    writeFileSync(join(folder, "index.html"), page);
  },
};

for (const [tool, build] of Object.entries(TOOLS)) {
  test(`a page made by ${tool} tells its stories, the second one where the first has ended`, async () => {
    const folder = newFolder();
    build(folder, `${playground.url}embed.js`);
    const docs = await serve(folder);
    try {
      const page = await open(browser, docs.url);
      const stories = page.locator("redis-playground");
      await stories.first().waitFor();
      assert.equal(await stories.count(), 2);
      const story = async (at, from, to) => {
        await stories.nth(at).scrollIntoViewIfNeeded();
        const frame = stories.nth(at).frameLocator("iframe");
        await frame.locator(".step-number").filter({ hasText: from }).waitFor();
        await frame.getByRole("button", { name: "Next", exact: true }).click();
        await frame.locator(".step-number").filter({ hasText: to }).waitFor();
        return (await frame.locator(".card").first().innerText()).replace(/\s+/g, " ");
      };
      assert.match(await story(0, "0 / 1", "1 / 1"), /\(integer\) 1/);
      assert.match(await story(1, "1 / 2", "2 / 2"), /\(integer\) 2/);

      const plain = await open(browser, docs.url, { javaScriptEnabled: false });
      await plain.getByText("B> INCR visitors").last().waitFor();
      assert.equal(await plain.locator("redis-playground iframe").count(), 0);
    } finally {
      docs.close();
    }
  });
}
