// The packed package in an empty project: the README's examples in Node.js and, built by Vite, in Chromium; the types; the
// example for Vitest.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { before, test } from "node:test";

import { build } from "vite";

import { launch, open } from "../e2e/support/browser.mjs";
import { serve } from "../e2e/support/site.mjs";
import { examples } from "./support/examples.mjs";
import { emptyProject } from "./support/project.mjs";

let project;

before(() => {
  project = emptyProject("project");
});

test("it brings what it needs and nothing else", () => {
  const folder = join(project, "node_modules/redis-playground");
  assert.deepEqual(readdirSync(folder).sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist", "package.json", "wasm"]);
  assert.deepEqual(readdirSync(join(folder, "wasm")).sort(), ["engine.d.ts", "engine.js", "engine_bg.wasm"]);
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});

for (const { name, code, checks } of examples()) {
  test(`README, ${name}, in Node.js`, () => {
    const file = join(project, `${name.replace(/\W+/g, "-")}.mjs`);
    // Imports come first by themselves, wherever they stand.
    const check = `import assert from "node:assert/strict";
let checks = 0;
const check = (got, wanted) => { assert.deepEqual(got, wanted); checks++; };
process.on("exit", () => console.log("checks:", checks));`;
    writeFileSync(file, `${check}\n${code}`);
    const output = execFileSync(process.execPath, [file], { encoding: "utf8", timeout: 60_000 });
    assert.match(output, new RegExp(`checks: ${checks}\\n$`));
  });
}

test("the README's examples, built by Vite, in Chromium", { timeout: 120_000 }, async () => {
  const wanted = examples().filter(({ node }) => !node);
  const modules = wanted.map(({ code }, number) => {
    const file = `example-${number}.js`;
    writeFileSync(join(project, file), `import { check } from "./check.js";\n${code}`);
    return `await import("./${file}");`;
  });
  writeFileSync(
    join(project, "check.js"),
    `import { deepEqual } from "./equal.js";
let checks = 0;
export function check(got, wanted) {
  if (!deepEqual(got, wanted)) throw new Error("got " + String(got) + ", wanted " + String(wanted));
  document.title = "checks: " + ++checks;
}`,
  );
  copyFileSync("tests/npm/support/equal.js", join(project, "equal.js"));
  writeFileSync(join(project, "main.js"), `${modules.join("\n")}\ndocument.body.append("all done");`);
  writeFileSync(join(project, "index.html"), `<!doctype html><title>0</title><body><script type="module" src="./main.js"></script>`);
  await build({ root: project, base: "./", logLevel: "warn", build: { target: "es2022" } });

  const server = await serve(join(project, "dist"));
  const browser = await launch();
  try {
    const page = await open(browser, server.url);
    await page.getByText("all done").waitFor({ timeout: 30_000 });
    assert.equal(await page.title(), `checks: ${wanted.reduce((sum, { checks }) => sum + checks, 0)}`);
    // The page of the test has no icon.
    assert.deepEqual(page.problems.filter((problem) => !problem.includes("404")), []);
  } finally {
    await browser.close();
    server.close();
  }
});

test("its types hold where they are used, and complain where they should", () => {
  copyFileSync("tests/npm/support/types.ts", join(project, "types.ts"));
  const words = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "node", "types.ts"];
  execFileSync(resolve("node_modules/.bin/tsc"), words, { cwd: project, stdio: "inherit" });
});

test("the example for Vitest passes", { timeout: 120_000 }, () => {
  for (const file of ["rate-limit.lua", "rate-limit.test.js"]) copyFileSync(join("npm/examples", file), join(project, file));
  const words = [resolve("node_modules/vitest/vitest.mjs"), "run", "--root", project, "--reporter=verbose"];
  const output = execFileSync(process.execPath, words, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  assert.match(output, /Tests {2}11 passed/);
});
