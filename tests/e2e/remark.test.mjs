// The plug-in for remark, on trees as remark makes them. It needs no browser.
import assert from "node:assert/strict";
import { test } from "node:test";

import redisPlayground from "../../plugins/remark/index.mjs";

const code = (lang, meta, value) => ({ type: "code", lang, meta, value });
const page = () => ({
  type: "root",
  children: [
    code("lua", "get", "return 1 < 2"),
    code("redis", null, "A> SET k 1\nOK\n@ +1s"),
    { type: "list", children: [{ type: "listItem", children: [code("redis", null, "A> EVAL $get 0")] }] },
    code("redis", "skip", "redis> PING"),
    code("redis", "new", "B>> PING"),
    code("sh", null, "ls"),
  ],
});

test("fences become HTML that shows them and brings what went before", () => {
  const tree = page();
  redisPlayground()(tree);
  const [script, first, list, skipped, anew, other] = tree.children;
  assert.deepEqual([script.type, skipped.type, other.type], ["code", "code", "code"]);
  const script_text = "```lua get\nreturn 1 &lt; 2\n```\n";
  assert.equal(
    first.value,
    `<redis-playground step="0">\n<pre hidden>${script_text}\`\`\`redis\nA&gt; SET k 1\nOK\n@ +1s\n\`\`\`\n</pre>\n` +
      `<pre><code class="language-redis">A&gt; SET k 1\nOK\n@ +1s</code></pre>\n</redis-playground>`,
  );
  const second = list.children[0].children[0].value;
  assert.match(second, /^<redis-playground step="2">\n<pre hidden>```lua get[^]*SET k 1[^]*EVAL \$get 0\n```\n<\/pre>/);
  assert.match(anew.value, /^<redis-playground step="0">/);
  assert.doesNotMatch(anew.value, /SET k 1/);
});

test("in MDX they are elements, and the fence stays a fence for the theme", () => {
  const tree = page();
  redisPlayground({ mdx: true })(tree);
  const [, first] = tree.children;
  assert.equal(first.type, "mdxJsxFlowElement");
  assert.deepEqual(first.attributes, [{ type: "mdxJsxAttribute", name: "step", value: "0" }]);
  const [hidden, shown] = first.children;
  assert.equal(hidden.name, "pre");
  assert.match(hidden.children[0].value, /^```lua get\nreturn 1 < 2\n```\n```redis\nA> SET k 1/);
  assert.deepEqual([shown.type, shown.lang, shown.value], ["code", "redis", "A> SET k 1\nOK\n@ +1s"]);
});
