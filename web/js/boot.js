// Starts the page. Trunk's own start is an inline script, which the page's security policy forbids; this file is
// told the hashed names of what to load by the script element that loads it (`pattern_script` in Trunk.toml).

// A function with an empty try_table: the form of exceptions that Lua's errors are compiled to.
const MODULE_WITH_EXCEPTIONS = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00, 0x0a,
  0x08, 0x01, 0x06, 0x00, 0x1f, 0x40, 0x00, 0x0b, 0x0b,
]);

const boot = document.getElementById("boot");
const notice = document.getElementById("boot-notice");

const remembered = (name) => {
  try {
    return localStorage.getItem(`redis-scripting-playground:${name}`);
  } catch {
    return null; // A browser may refuse to remember.
  }
};

/** The prose of another story than the one that is in the page already, as plain text. */
async function showStory(name) {
  const response = await fetch(`examples/${name}.md`);
  if (!response.ok) return;
  const [, front, body] = /^---\n([^]*?)\n---\n([^]*)$/.exec(await response.text()) ?? [];
  const prose = document.createElement("div");
  prose.className = "prose";
  const add = (tag, text) => prose.appendChild(document.createElement(tag)).append(text);
  add("h2", /^title: *"?(.*?)"?$/m.exec(front)?.[1] ?? "");
  prose.firstChild.className = "prose-title";
  for (const part of body.split(/^```[^]*?^```$/m).join("\n\n").split(/\n\s*\n/)) {
    if (part.trim() && !part.trim().startsWith("#")) add("p", part.replace(/[`*]/g, ""));
  }
  document.getElementById("boot-story")?.replaceChildren(prose);
}

// In a frame of somebody else's page (embed.js): only a part of the page is shown, which tells its height.
const parameters = new URLSearchParams(location.search);
if (parameters.has("embed")) {
  const root = document.documentElement;
  root.dataset.embed = parameters.get("embed");
  addEventListener("message", ({ source, data }) => {
    if (source === parent && data?.type === "rp:theme") root.dataset.theme = data.theme;
  });
  const tell = () => parent.postMessage({ type: "rp:size", v: 1, height: document.body.offsetHeight }, "*");
  new ResizeObserver(tell).observe(document.body);
}

// As in theme.rs; before anything is painted, if possible.
document.documentElement.dataset.theme = parameters.get("theme") ?? remembered("theme") ?? "auto";

/** Has a file fetched that the page will ask for when it is there itself. */
function preload(name, id = "") {
  const href = new URL(name, document.baseURI);
  document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "anonymous", id, href }));
}

/**
 * Waits until the story to read is on the screen, which loading and starting the page would hold up. A tab behind others paints
 * nothing, and not every browser tells: nobody waits for long.
 */
function painted() {
  const told = new Promise((done) => {
    const type = ["largest-contentful-paint", "paint"].find((type) => PerformanceObserver.supportedEntryTypes?.includes(type));
    if (type) new PerformanceObserver(done).observe({ type, buffered: true });
  });
  return document.hidden || Promise.race([told, new Promise((done) => setTimeout(done, 200))]);
}

// As in work.rs. Own stories, and those that come in a link, have a point in their names.
const fragment = decodeURIComponent(location.hash).replace(/^#$/, "") || remembered("place") || `#${boot.dataset.story}`;
const example = /^#([\w-]+)(?:&|$)/.exec(fragment)?.[1];
if (example) {
  if (example !== boot.dataset.story) showStory(example).catch(() => {});
  preload(`examples/${example}.md`);
  // What the engine tells of it (engine_host.js), unless the reader has another text of it.
  const version = document.querySelector('meta[name="engine-version"]').content;
  if (version && remembered(`text:${example}`) === null) preload(`recorded/${example}.txt?v=${version}`, "recorded");
}

try {
  if (!WebAssembly.validate(MODULE_WITH_EXCEPTIONS) || !WebAssembly.JSTag) {
    throw new Error(
      "This browser is too old for it: Chrome 137, Firefox 131, Safari 18.4 or newer have the WebAssembly exceptions that Lua's errors need.",
    );
  }
  await painted();
  const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
  const page = await import(new URL(js, document.baseURI));
  await page.default({ module_or_path: new URL(wasm, document.baseURI) });
  // The page takes this away as soon as it has the story: drawn before and after that, everything in it would jump. Another text than
  // an example's waits for the engine, and what is read here meanwhile is not that text.
  if (!example) boot.remove();
  // A frame of no origin has no such thing. What can't be kept is fetched next time.
  if (!parameters.has("embed")) navigator.serviceWorker?.register("offline.js").catch(() => {});
} catch (error) {
  notice.setAttribute("role", "alert");
  notice.textContent = `The playground could not start. ${error.message}`;
  throw error;
}
