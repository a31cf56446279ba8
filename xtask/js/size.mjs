// Prints the size of every file below a folder: raw, and as the two compressions that web servers offer.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const folder = process.argv[2];

function* filesBelow(path) {
  for (const name of readdirSync(path).sort()) {
    if (name.startsWith(".")) continue; // Trunk's own
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
  const sizes = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)].map((part) => part.length);
  sizes.forEach((size, index) => (sum[index] += size));
  row(...sizes, relative(folder, file));
  brotli.set(relative(folder, file), sizes[2]);
}
row(...sum, "all");

// What a reader waits for, against what it may weigh. The first view is all that the first story needs.
const names = [...brotli.keys()];
const later = /^(examples\/|embed|editor\.js|offline\.js|icon)/;
const budgets = [
  ["embed.js, before a story is seen", 2, names.filter((name) => name === "embed.js")],
  ["the first view, without the editor", 350, names.filter((name) => !later.test(name))],
  ["the editor", 110, names.filter((name) => name === "editor.js")],
];
console.log("\n    brotli    budget  bytes");
for (const [title, kilobytes, files] of budgets) {
  const size = files.reduce((sum, name) => sum + brotli.get(name), 0);
  const budget = kilobytes * 1024;
  const verdict = size > budget ? `over by ${size - budget}` : "within";
  console.log([size, budget].map((bytes) => String(bytes).padStart(10)).join("") + `  ${title}: ${verdict}`);
}
