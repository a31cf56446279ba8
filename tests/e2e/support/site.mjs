// Serves the finished page with xtask's own server, as a static host below some path would.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Below this path, so that no test passes by the luck of being at the root. */
const PREFIX = "/docs/play/";

/** Serves `dist/`, or another folder, on a free port of loopback. */
export async function serve(folder = "dist") {
  const words = ["serve", "--port", "0", "--prefix", PREFIX, "--dir", folder];
  // `cargo xtask test` names its own program; by hand cargo finds it.
  const program = process.env.PLAYGROUND_XTASK;
  const child = program ? spawn(program, words) : spawn("cargo", ["xtask", ...words]);
  child.stderr.pipe(process.stderr);
  for await (const line of createInterface(child.stdout)) {
    const url = /^serving on (\S+)/.exec(line)?.[1];
    if (url) return { url, close: () => child.kill() };
  }
  throw new Error("the server ended before it served");
}
