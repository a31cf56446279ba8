// The last step of the build, run by Trunk on the finished files: bundles the editor, writes into the page a
// hash of what has no hash in its name, and the first story's prose, which can then be read before anything has been loaded.
// Trunk gives files of workers no hashed names, so the page asks for them with the hash as a query instead.
import { createHash } from "node:crypto";
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;

// The editor is a bundle of its own, which is fetched when a story is edited for the first time.
await build({
  entryPoints: ["web/editor/main.js"],
  outfile: join(folder, "editor.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});

// What other pages load, so it is as small as can be.
await build({ entryPoints: ["web/js/embed.js"], outfile: join(folder, "embed.js"), minify: true, format: "esm", target: "es2022", logLevel: "warning" });

const hash = createHash("sha256");
const ASKED_BY_QUERY = ["worker.js", "playground-engine.js", "playground-engine_bg.wasm", "playground-linter.js", "playground-linter_bg.wasm", "editor.js"];
for (const file of ASKED_BY_QUERY) {
  hash.update(readFileSync(join(folder, file)));
}

const page = join(folder, "index.html");
let html = readFileSync(page, "utf8");

/** Puts something in the place of a text that the page must have. */
function fill(place, content) {
  if (!html.includes(place)) throw new Error(`index.html has no ${place}`);
  html = html.replace(place, () => content);
}

fill('<meta name="engine-version" content=""', `<meta name="engine-version" content="${hash.copy().digest("hex").slice(0, 16)}"`);

// Where the page is in a sandboxed frame its own host is another origin, and a style sheet whose hash is to be checked would need
// CORS. Its name has the hash already.
html = html.replace(/<link rel="stylesheet"[^>]*>/g, (link) => link.replace(/ integrity="[^"]*"/, ""));

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
const inline = (text) =>
  escape(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");

/** Title and paragraphs of a story; its steps and scripts come with the page itself. */
function prose(text) {
  const [, front, body] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text);
  const title = /^title: *"?(.*?)"?$/m.exec(front)[1];
  const parts = body.split(/^```[^]*?^```$/m).join("\n\n").split(/\n\s*\n/);
  const paragraphs = parts.filter((part) => part.trim() && !part.trim().startsWith("#")).map((part) => `<p>${inline(part.trim())}</p>`);
  return `<h2 class="prose-title">${inline(title)}</h2>${paragraphs.join("")}`;
}

const examples = join(folder, "examples");
const names = existsSync(examples) ? readdirSync(examples).filter((name) => name.endsWith(".md")) : [];
const stories = names.map((name) => ({ name, text: readFileSync(join(examples, name), "utf8") }));
const order = ({ text }) => Number(/^order: *(\d+)/m.exec(text)?.[1] ?? Infinity);
const [first] = stories.sort((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));
fill('data-story=""', `data-story="${first?.name.replace(/\.md$/, "") ?? ""}"`);
fill("<!-- The first story's prose. -->", first ? prose(first.text) : "");

writeFileSync(page, html);

// All files for the offline copy, those without a hash in their names by the query that the page asks for them with.
const version = hash.copy().digest("hex").slice(0, 16);
const asked = new Set(ASKED_BY_QUERY);
const shipped = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && !/^(embed-demo|embed\.js|offline\.js|index\.html)/.test(entry.name))
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
  .map((name) => (asked.has(name) ? `${name}?v=${version}` : name))
  .sort();
const list = createHash("sha256").update(html).update(shipped.join("\n"));
for (const name of shipped.filter((name) => name.startsWith("examples/"))) list.update(readFileSync(join(folder, name)));
const offline = readFileSync("web/js/offline.js", "utf8")
  .replace("FILES = []", `FILES = ${JSON.stringify(["./", ...shipped])}`)
  .replace("VERSION", list.digest("hex").slice(0, 16));
writeFileSync(join(folder, "offline.js"), offline);

// What `cargo xtask` noted about the page it built does not hold for this one, which may be a quick build for trunk serve.
rmSync(join(process.env.TRUNK_DIST_DIR, ".sources"), { force: true });
