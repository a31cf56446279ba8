// The examples of the package's README as programs: `expression; // => value` becomes a check.
import { readFileSync } from "node:fs";

const CHECKED = /^(?<expression>\S.*?); \/\/ => (?<value>.+)$/;

/** Each example with the heading it stands below; `node` where it runs in Node.js only. */
export function examples() {
  const text = readFileSync("npm/README.md", "utf8");
  const found = [];
  let heading = "the first example";
  for (const part of text.matchAll(/^## (?<heading>.*)$|^```js(?<node> node)?\n(?<code>[^]*?)^```$/gm)) {
    const { heading: next, node, code } = part.groups;
    if (next) heading = next;
    else found.push({ name: `${heading} (${found.length + 1})`, node: node !== undefined, ...program(code) });
  }
  return found;
}

/** `check(got, wanted)` is for whoever runs it to define. */
function program(code) {
  let checks = 0;
  const lines = code.split("\n").map((line) => {
    const { expression, value } = CHECKED.exec(line)?.groups ?? {};
    if (!expression) return line;
    checks++;
    return `check(${expression}, ${value});`;
  });
  return { code: lines.join("\n"), checks };
}
