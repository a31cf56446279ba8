// Prints the size of every file below a folder: raw, and as the two compressions that web servers offer. Ends with 1 where a part
// weighs more than it may.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const folder = process.argv[2];

function* filesBelow(path) {
  for (const name of readdirSync(path).sort()) {
    if (name.startsWith(".") || name.endsWith(".br")) continue; // Trunk's own, and the compressed copies
    const child = join(path, name);
    if (statSync(child).isDirectory()) yield* filesBelow(child);
    else yield child;
  }
}

const row = (raw, gzip, brotli, name) =>
  console.log([raw, gzip, brotli].map((size) => String(size).padStart(10)).join("") + "  " + name);

row("raw", "gzip", "brotli", "bytes, at the highest level of each");
const sum = [0, 0, 0];
const brotli = new Map();
for (const file of filesBelow(folder)) {
  const bytes = readFileSync(file);
  const compressed = existsSync(`${file}.br`) ? readFileSync(`${file}.br`) : brotliCompressSync(bytes);
  const sizes = [bytes, gzipSync(bytes, { level: 9 }), compressed].map((part) => part.length);
  sizes.forEach((size, index) => (sum[index] += size));
  row(...sizes, relative(folder, file));
  brotli.set(relative(folder, file), sizes[2]);
}
row(...sum, "all");

// What a reader waits for, against what it may weigh in KiB. Where a part weighs more than is wished for, the budget is what it weighs
// with a little room, so that it does not grow, and the wish stands beside it.
const names = [...brotli.keys()];
const heaviest = (kind) => names.filter(kind).sort((one, other) => brotli.get(other) - brotli.get(one)).slice(0, 1);
const ofEngine = (name) => /^(playground-engine|worker\.js)/.test(name);
const ofPage = (name) => /^(index\.html|boot\.js|styles-|playground-web|snippets\/)/.test(name);
const stories = [...heaviest((name) => name.startsWith("recorded/")), ...heaviest((name) => name.startsWith("examples/"))];
const parts = [
  { title: "embed.js, before a story is seen", budget: 2, files: names.filter((name) => name === "embed.js") },
  { title: "the first view: the page, and a story that can be stepped through", budget: 480, wish: 350, files: [...names.filter(ofPage), ...stories] },
  { title: "the engine, fetched behind the first view", budget: 850, files: names.filter(ofEngine) },
  { title: "the first view and the engine", budget: 1315, wish: 350, files: [...names.filter(ofPage), ...stories, ...names.filter(ofEngine)] },
  { title: "the lints, fetched behind the editor", budget: 200, files: names.filter((name) => name.startsWith("playground-linter")) },
  { title: "the editor, fetched by who writes", budget: 110, files: names.filter((name) => name === "editor.js") },
];
console.log("\n    brotli    budget  bytes");
for (const { title, budget, wish, files } of parts) {
  const size = files.reduce((sum, name) => sum + brotli.get(name), 0);
  const isOver = size > budget * 1024;
  if (isOver) process.exitCode = 1;
  const verdict = isOver ? `over by ${size - budget * 1024}` : "within";
  const wished = wish === undefined ? "" : `; ${wish * 1024} is wished for`;
  console.log([size, budget * 1024].map((bytes) => String(bytes).padStart(10)).join("") + `  ${title}: ${verdict}${wished}`);
}
