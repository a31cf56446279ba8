// The last step of the build, run by Trunk on the finished files: bundles the editor, writes into the page a
// hash of what has no hash in its name, and the first story's prose, which can then be read before anything has been loaded.
// Trunk gives files of workers no hashed names, so the page asks for them with the hash as a query instead.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { build, transform } from "esbuild";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;

/** All files below the folder whose names are wanted, as paths from there. */
const filesThat = (isWanted) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));

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

// What the engine tells of each story, told by the engine itself, so that the page can tell it before it has the engine.
const examples = join(folder, "examples");
const names = existsSync(examples) ? readdirSync(examples).filter((name) => name.endsWith(".md")) : [];
const record = ["run", "--quiet", "--locked", "--package", "playground-engine", "--example", "record", "--"];
execFileSync("cargo", [...record, join(folder, "recorded"), ...names.map((name) => join(examples, name))], { stdio: "inherit" });
const recorded = names.map((name) => `recorded/${name.replace(/md$/, "txt")}`);

// Without a hash in their names: the page asks for them with that of all of them as a query.
const MODULES = ["playground-engine", "playground-linter"].flatMap((name) => [`${name}.js`, `${name}_bg.wasm`]);
const unnamed = ["worker.js", ...MODULES, "editor.js", ...recorded];
const hash = createHash("sha256");
for (const file of unnamed) hash.update(readFileSync(join(folder, file)));

const page = join(folder, "index.html");
let html = readFileSync(page, "utf8");

/** Puts something in the place of a text that the page must have. */
function fill(place, content) {
  if (!html.includes(place)) throw new Error(`index.html has no ${place}`);
  html = html.replace(place, () => content);
}

fill('<meta name="engine-version" content=""', `<meta name="engine-version" content="${hash.copy().digest("hex").slice(0, 16)}"`);

// One style sheet, as each of them would be waited for before anything is painted. It has no hash to be checked, which would need
// CORS where the page is in a sandboxed frame, as its own host is another origin then. Its name has the hash already.
const sheets = [...html.matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>/g)];
const { code: styles } = await transform(sheets.map(([, name]) => readFileSync(join(folder, name), "utf8")).join("\n"), { loader: "css", minify: true });
const sheet = `styles-${createHash("sha256").update(styles).digest("hex").slice(0, 16)}.css`;
writeFileSync(join(folder, sheet), styles);
for (const [link, name] of sheets) {
  html = html.replace(link, link === sheets[0][0] ? `<link rel="stylesheet" href="./${sheet}"/>` : "");
  rmSync(join(folder, name));
}

// Trunk has the module fetched before anything else, where it holds up what the first paint needs; boot.js fetches it right after.
html = html.replace(/<link rel="preload"[^>]*\.wasm"[^>]*>/, "");

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

const stories = names.map((name) => ({ name, text: readFileSync(join(examples, name), "utf8") }));
const order = ({ text }) => Number(/^order: *(\d+)/m.exec(text)?.[1] ?? Infinity);
const [first] = stories.sort((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));
fill('data-story=""', `data-story="${first?.name.replace(/\.md$/, "") ?? ""}"`);
fill("<!-- The first story's prose. -->", first ? prose(first.text) : "");

writeFileSync(page, html);

// All files for the offline copy, those without a hash in their names by the query that the page asks for them with.
const version = hash.copy().digest("hex").slice(0, 16);
const asked = new Set(unnamed);
const shipped = filesThat((name) => !name.startsWith(".") && !/^(embed-demo|embed\.js|offline\.js|index\.html)/.test(name))
  .map((name) => (asked.has(name) ? `${name}?v=${version}` : name))
  .sort();
const list = createHash("sha256").update(html).update(shipped.join("\n"));
for (const name of shipped.filter((name) => name.startsWith("examples/"))) list.update(readFileSync(join(folder, name)));
const offline = readFileSync("web/js/offline.js", "utf8")
  .replace("FILES = []", `FILES = ${JSON.stringify(["./", ...shipped])}`)
  .replace("VERSION", list.digest("hex").slice(0, 16));
writeFileSync(join(folder, "offline.js"), offline);

// For web servers that hand compressed copies on, as `cargo xtask serve` does. The highest level takes a while, which a quick build
// does not have.
if (process.env.TRUNK_PROFILE === "release") {
  const compress = async (name) => writeFileSync(join(folder, `${name}.br`), await promisify(brotliCompress)(readFileSync(join(folder, name))));
  await Promise.all(filesThat((name) => /\.(css|html|js|md|svg|txt|wasm)$/.test(name)).map(compress));
}

// What `cargo xtask` noted about the page it built does not hold for this one, which may be a quick build for trunk serve.
rmSync(join(process.env.TRUNK_DIST_DIR, ".sources"), { force: true });
