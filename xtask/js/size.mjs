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
for (const file of filesBelow(folder)) {
  const bytes = readFileSync(file);
  const sizes = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)].map((part) => part.length);
  sizes.forEach((size, index) => (sum[index] += size));
  row(...sizes, relative(folder, file));
}
row(...sum, "all");
