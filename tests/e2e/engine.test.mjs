// The engine's module as it is shipped: what it imports, and that losing it costs no more than the answer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";

let site, browser, page;

before(async () => {
  [site, browser] = await Promise.all([serve(), launch()]);
  page = await open(browser, site.url);
});

after(async () => {
  await browser?.close();
  site?.close();
});

test("the module imports nothing that is not wasm-bindgen's", async () => {
  const imports = await page.evaluate(async () => {
    const module = await WebAssembly.compileStreaming(fetch("playground-engine_bg.wasm"));
    return WebAssembly.Module.imports(module);
  });
  assert.notEqual(imports.length, 0);
  for (const { module, name } of imports) {
    assert.equal(module, "./playground-engine_bg.js", `${module} ${name}`);
    assert.match(name, /^__wb/);
  }
});

/** Asks through the page's own host of the engine. */
const ask = (request, limitMs = 10_000) =>
  page.evaluate(
    async ([request, limitMs]) => {
      const { href } = document.querySelector('link[href*="engine_host"]');
      const { ask } = await import(href);
      return ask(JSON.stringify(request), limitMs).catch((error) => `lost: ${error.message}`);
    },
    [request, limitMs],
  );

const script = (text) => ({ command: { line: `EVAL "${text}" 0` } });

test("an engine that does not answer is replaced, and the page stays alive", async () => {
  // The engine runs this one up to the busy threshold, which takes longer than it is given here.
  assert.equal(await ask(script("while true do end"), 20), "lost: no answer within 20 ms");
  assert.match(await ask(script("return 'alive'")), /alive/);
});

test("an engine that throws is replaced, and the reason told", async () => {
  // No script is known to trap the engine; what is no message at all throws before the engine sees it.
  assert.match(await ask(undefined), /^lost: TypeError/);
  assert.match(await ask(script("return 'alive'")), /alive/);
});
