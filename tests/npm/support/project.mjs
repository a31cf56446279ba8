// An empty project that has nothing but the packed package.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const PACKED = "target/npm";

/** Below the clone, so that tools and client libraries are found in its node_modules, and the package is not. */
export function emptyProject(name) {
  const archive = readdirSync(PACKED).find((file) => file.endsWith(".tgz"));
  if (!archive) throw new Error("there is no package: cargo xtask npm makes it");
  const folder = resolve(PACKED, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const words = ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", resolve(PACKED, archive)];
  execFileSync("npm", words, { cwd: folder, stdio: "inherit" });
  return folder;
}
