// A remark plug-in, for Docusaurus and everything else that is built on unified: fences of `redis` become
// <redis-playground> elements. The page has to load embed.js once, e.g. through `scripts` of docusaurus.config.js.
//
// Knows of a scenario only what it needs: which fences belong together, and which lines are steps.

const STEP = /^(?:[A-Za-z][\w-]{0,23}>>?(?: |$)|@ *(?:\+|at |restart|replica|failover))/;

const fenced = (language, text) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const jsx = (name, attributes, children) => ({
  type: "mdxJsxFlowElement",
  name,
  attributes: Object.entries(attributes).map(([name, value]) => ({ type: "mdxJsxAttribute", name, value })),
  children,
});

/** Every fence of code with the list it stands in, from top to bottom. */
function* fences(node) {
  for (const child of node.children ?? []) {
    if (child.type === "code") yield { code: child, among: node.children };
    else yield* fences(child);
  }
}

/**
 * @param {{ mdx?: boolean }} options `mdx: true` gives elements of MDX (Docusaurus), else they are HTML.
 */
export default function redisPlayground({ mdx = false } = {}) {
  return (tree) => {
    const all = [...fences(tree)];
    const scripts = all
      .filter(({ code }) => code.lang === "lua" && code.meta)
      .map(({ code }) => fenced(`lua ${code.meta.split(" ")[0]}`, code.value))
      .join("");
    let before = [];
    for (const { code, among } of all) {
      const word = code.meta?.split(" ")[0];
      if (code.lang !== "redis" || word === "skip") continue;
      if (word === "new") before = [];
      const step = String(before.join("\n").split("\n").filter((line) => STEP.test(line)).length);
      before.push(code.value);
      const story = scripts + before.map((text) => fenced("redis", text)).join("");
      const shown = { type: "code", lang: "redis", meta: null, value: code.value };
      const element = mdx
        ? jsx("redis-playground", { step }, [jsx("pre", { hidden: null }, [{ type: "text", value: story }]), shown])
        : {
            type: "html",
            value:
              `<redis-playground step="${step}">\n<pre hidden>${escaped(story)}</pre>\n` +
              `<pre><code class="language-redis">${escaped(code.value)}</code></pre>\n</redis-playground>`,
          };
      among.splice(among.indexOf(code), 1, element);
    }
  };
}
