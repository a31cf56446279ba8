// Serves the finished page as a content network would: compressed, and cached where the name tells the content. xtask's own server
// compresses nothing, which on a slow network would time the wrong thing.
import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/** Serves `dist/`, or another folder, on a free port of loopback. */
export async function serveCompressed(folder = "dist") {
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    files.set(`/${relative(folder, path)}`, brotliCompressSync(readFileSync(path)));
  }
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://localhost");
    const name = pathname === "/" ? "/index.html" : pathname;
    const body = files.get(name);
    if (!body) return response.writeHead(404).end();
    const isNamed = /[-_][0-9a-f]{16}/.test(name) || search.startsWith("?v=");
    const headers = {
      "Content-Type": TYPES[extname(name)] ?? "text/plain; charset=utf-8",
      "Content-Encoding": "br",
      "Content-Length": body.length,
      "Cache-Control": isNamed ? "public, max-age=31536000, immutable" : "no-cache",
    };
    response.writeHead(200, headers).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
