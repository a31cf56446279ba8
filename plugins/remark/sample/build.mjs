// A page from Markdown by remark, with the plug-in: node build.mjs PAGE.md https://example.org/playground/embed.js
import { readFileSync } from "node:fs";
import rehypeStringify from "rehype-stringify";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import redisPlayground from "../index.mjs";

const [file, embed] = process.argv.slice(2);
const content = await unified()
  .use(remarkParse)
  .use(redisPlayground)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeStringify, { allowDangerousHtml: true })
  .process(readFileSync(file, "utf8"));
console.log(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A page with stories</title>
<script type="module" src="${embed}"></script>
<main>
${content}
</main>
</html>`);
