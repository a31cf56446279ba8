// `<redis-playground>`: a story of a page, to be stepped through in place. Until it is near the reader's eyes, and
// wherever scripts do not run, the element is what stands in it: a <pre> with the story.
//
// The frame is of no origin and gets the story in its address; it answers with its height and nothing else.
const here = new URL(".", import.meta.url);
const base64 = (text) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=/g, "");

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) target.load();
  },
  { rootMargin: "200px" },
);

class RedisPlayground extends HTMLElement {
  #frame;

  static observedAttributes = ["theme"];

  attributeChangedCallback(_, __, theme) {
    this.#frame?.contentWindow?.postMessage({ type: "rp:theme", v: 1, theme }, "*");
  }

  connectedCallback() {
    seen.observe(this);
  }

  disconnectedCallback() {
    seen.unobserve(this);
  }

  /** Puts the playground in the place of the text. */
  async load() {
    seen.unobserve(this);
    if (this.#frame) return;
    const frame = (this.#frame = document.createElement("iframe"));
    const get = (name, otherwise = "") => this.getAttribute(name) ?? otherwise;
    const url = new URL("index.html", here);
    const view = get("view", "timeline");
    const theme = get("theme", "auto");
    for (const [name, value] of Object.entries({ embed: view, theme })) url.searchParams.set(name, value);
    for (const name of ["autoplay", "predict"]) if (this.hasAttribute(name)) url.searchParams.set(name, "");
    const step = get("step", "0");
    if (this.hasAttribute("scenario")) url.hash = `${get("scenario")}&step=${step}`;
    else {
      let text = this.hasAttribute("src")
        ? await (await fetch(new URL(get("src"), document.baseURI))).text()
        : (this.querySelector("pre") ?? this).textContent.trim();
      const version = get("redis-version");
      if (version) text = text.includes("```redis") ? text.replace("```redis", `$&\n@ redis ${version}`) : `@ redis ${version}\n${text}`;
      url.hash = `v1.r.${base64(`step=${step}&view=${view}&redis=\n${text}`)}`;
    }
    frame.src = url;
    frame.title = get("title", "Redis Scripting Playground");
    frame.sandbox = "allow-scripts allow-popups allow-downloads";
    frame.allow = "clipboard-write";
    const height = get("height");
    frame.style.cssText = `border:0;display:block;width:100%;height:${parseInt(height) || this.offsetHeight || 320}px`;
    // A host that does not let files be read from elsewhere (no Access-Control-Allow-Origin) needs a frame of its own origin.
    const giveIn = setTimeout(() => {
      frame.sandbox += " allow-same-origin";
      frame.src = url;
    }, 12000);
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow || data?.type !== "rp:size" || data.v !== 1 || !this.isConnected) return;
      clearTimeout(giveIn);
      if (!height) frame.style.height = `${Math.min(Math.max(data.height | 0, 120), 2000)}px`;
      this.dispatchEvent(new CustomEvent("ready", { bubbles: true }));
    });
    this.replaceChildren(frame);
  }
}

customElements.define("redis-playground", RedisPlayground);
