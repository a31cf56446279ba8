// A real browser, set so that two runs see the same, and a page that writes down all that is wrong with it.
import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox", // CI is root
  "--disable-gpu",
  "--disable-background-networking",
  "--force-color-profile=srgb",
  "--font-render-hinting=none",
  "--disable-lcd-text",
  "--hide-scrollbars",
];

export function launch() {
  const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  return chromium.launch({ executablePath, args: FLAGS });
}

/**
 * Opens a page. `page.problems` fills with errors on the console, exceptions, breaches of the security policy and
 * requests to other origins: an honest page has none.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    ...options,
  });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`exception: ${error.message}`));
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) page.problems.push(`request: ${request.url()}`);
  });
  context.on("requestfailed", (request) => page.problems.push(`failed: ${request.url()}`));
  await page.exposeFunction("tellProblem", (text) => page.problems.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      window.tellProblem(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(url);
  return page;
}
