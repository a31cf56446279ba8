// The last step of the build, run by Trunk on the finished files: writes a hash of the engine into the page.
// Trunk gives files of workers no hashed names, so the page asks for them with the hash as a query instead.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;
const hash = createHash("sha256");
for (const file of ["worker.js", "playground-engine.js", "playground-engine_bg.wasm"]) {
  hash.update(readFileSync(join(folder, file)));
}

const empty = '<meta name="engine-version" content=""';
const filled = `<meta name="engine-version" content="${hash.digest("hex").slice(0, 16)}"`;
const page = join(folder, "index.html");
const html = readFileSync(page, "utf8");
if (!html.includes(empty)) throw new Error(`index.html has no ${empty}`);
writeFileSync(page, html.replace(empty, filled));
