// Serves the finished page with xtask's own server, as a static host below some path would.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Below this path, so that no test passes by the luck of being at the root. */
const PREFIX = "/docs/play/";

/** Serves `dist/` on a free port of loopback. */
export async function serve() {
  const arguments_ = ["serve", "--port", "0", "--prefix", PREFIX];
  // `cargo xtask test` names its own program; by hand cargo finds it.
  const program = process.env.PLAYGROUND_XTASK;
  const child = program ? spawn(program, arguments_) : spawn("cargo", ["xtask", ...arguments_]);
  child.stderr.pipe(process.stderr);
  for await (const line of createInterface(child.stdout)) {
    const url = /^serving on (\S+)/.exec(line)?.[1];
    if (url) return { url, close: () => child.kill() };
  }
  throw new Error("the server ended before it served");
}
