// Every view of the page is open to everyone, in both themes, and nothing in it is wider than its window.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { launch } from "./support/browser.mjs";
import { serve } from "./support/site.mjs";
import { openView, viewsOf } from "./support/views.mjs";

let site, browser;

before(async () => {
  [site, browser] = await Promise.all([serve(), launch()]);
});

after(async () => {
  await browser?.close();
  site?.close();
});

const told = ({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((node) => `${node.html} ${node.failureSummary}`)]);

for (const size of ["laptop", "phone"]) {
  for (const view of viewsOf(size)) {
    test(`${size}, ${view.name}: axe finds no barrier, and nothing is cut off at the side`, { timeout: 120_000 }, async () => {
      const page = await openView(browser, site.url, view, size, { colorScheme: "light" });
      assert.deepEqual(told(await new AxeBuilder({ page }).analyze()), []);
      // The other theme is the same document in other colours.
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(told(await new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"]).analyze()), []);
      const [is, may] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(is <= may, `${is} of ${may} pixels`);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }
}
