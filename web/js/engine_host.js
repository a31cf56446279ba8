// Starts the engine and passes messages to it: in a worker, so that no script can freeze the page, or in the page
// itself where a worker is refused (a sandboxed frame of another origin).
//
// For a story that came with the page, what the engine tells of it was written down when the page was built (`finish.mjs`):
// as long as the page asks what is written there, it is answered from there, and the engine is fetched behind that. For all
// other stories the engine is started when this file is loaded, which is before the page's own module is there.

const version = document.querySelector('meta[name="engine-version"]')?.content ?? "";
const file = (name, attempt = 0) => {
  const url = new URL(name, document.baseURI);
  if (version) url.searchParams.set("v", version);
  // A module is instantiated once for each address.
  if (attempt) url.searchParams.set("attempt", attempt);
  return url;
};

/** An engine: `ask` answers a promise of the reply, which is rejected by an Error where the engine is lost; `ready` tells when it is there. */
class WorkerEngine {
  #worker = new Worker(file("worker.js"), { type: "module" });
  #waiting = new Map();
  #next = 0;
  #isThere;
  ready = new Promise((resolve) => (this.#isThere = resolve));

  constructor() {
    this.#worker.onmessage = ({ data: { id, answer, lost } }) => {
      if (id === undefined) return this.#isThere();
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (lost === undefined) resolve(answer);
      else reject(new Error(lost));
    };
    this.#worker.onerror = (event) => this.#giveUp(new Error(event.message || "the engine's worker did not start"));
  }

  ask(request) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  end(reason) {
    this.#worker.terminate();
    this.#giveUp(new Error(reason));
  }

  #giveUp(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

class PageEngine {
  static #attempts = 0;

  ready = import(file("playground-engine.js", PageEngine.#attempts++)).then(async (module) => {
    await module.default({ module_or_path: file("playground-engine_bg.wasm") });
    return module;
  });

  async ask(request) {
    return (await this.ready).handle(request);
  }

  // What runs in the page cannot be ended from the page.
  end() {}
}

function start() {
  try {
    return new WorkerEngine();
  } catch {
    return new PageEngine();
  }
}

/** What the engine answered when the page was built: requests and answers by turns, a line each. */
class Recording {
  #answers;

  constructor(url) {
    this.#answers = this.#read(url).catch(() => new Map());
  }

  async #read(url) {
    const response = await fetch(url);
    const lines = response.ok ? (await response.text()).split("\n") : [];
    const answers = new Map();
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const known = answers.get(lines[at]);
      if (known) known.push(lines[at + 1]);
      else answers.set(lines[at], [lines[at + 1]]);
    }
    return answers;
  }

  /** Nothing where this was not asked then, or not so often. */
  async answer(request) {
    const answers = (await this.#answers).get(request);
    // A look changes nothing, so it may be taken again.
    return request.startsWith('{"look"') ? answers?.[0] : answers?.shift();
  }
}

// `boot.js` has put it there for a story that has one, and the browser is fetching it already.
const recorded = document.getElementById("recorded")?.href;
/** Takes the engine's place until something is asked that is not in it. */
let recording = recorded && new Recording(recorded);
/** What was answered from it before there was an engine, which has to be told all of it. */
const missed = [];
let engine = recording ? undefined : start();
let tellReady;
const isReady = new Promise((resolve) => (tellReady = resolve));
engine?.ready.then(tellReady, () => {});

function wake() {
  if (engine) return;
  engine = start();
  engine.ready.then(tellReady, () => {});
  missed.forEach(keepUp);
}

/** Has the engine go through what was answered in its place. */
function keepUp(request) {
  if (engine) engine.ask(request).catch(() => {});
  else missed.push(request);
}

/** Behind what is to be shown first. */
const whenIdle = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);

/** When the first engine is there. */
export const ready = () => isReady;

/**
 * Asks the engine. Where it is there and has not answered after `limitMs` it is ended, and the promise rejected; like after a
 * trap, the next question goes to a new engine, which knows nothing of what the old one was told.
 */
export async function ask(request, limitMs) {
  const answer = await recording?.answer(request);
  if (answer !== undefined) {
    keepUp(request);
    whenIdle(wake);
    return answer;
  }
  recording = undefined;
  wake();
  const asked = engine;
  let watchdog;
  let isOver = false;
  const watch = () => {
    if (!isOver) watchdog = setTimeout(() => asked.end(`no answer within ${limitMs} ms`), limitMs);
  };
  // How long it takes to come is the network's affair.
  asked.ready.then(watch, () => {});
  try {
    return await asked.ask(request);
  } catch (error) {
    asked.end(error.message);
    if (engine === asked) engine = start();
    throw error;
  } finally {
    isOver = true;
    clearTimeout(watchdog);
  }
}
