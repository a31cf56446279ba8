// Starts the engine and passes messages to it: in a worker, so that no script can freeze the page, or in the page
// itself where a worker is refused (a sandboxed frame of another origin).
//
// The first engine is started when this file is loaded, which is before the page's own module is there.

const version = document.querySelector('meta[name="engine-version"]')?.content ?? "";
const file = (name, attempt = 0) => {
  const url = new URL(name, document.baseURI);
  if (version) url.searchParams.set("v", version);
  // A module is instantiated once for each address.
  if (attempt) url.searchParams.set("attempt", attempt);
  return url;
};

/** An engine: `ask` answers a promise of the reply, which is rejected by an Error where the engine is lost. */
class WorkerEngine {
  #worker = new Worker(file("worker.js"), { type: "module" });
  #waiting = new Map();
  #next = 0;

  constructor() {
    this.#worker.onmessage = ({ data: { id, answer, lost } }) => {
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

  #module = import(file("playground-engine.js", PageEngine.#attempts++)).then(async (module) => {
    await module.default({ module_or_path: file("playground-engine_bg.wasm") });
    return module;
  });

  async ask(request) {
    return (await this.#module).handle(request);
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

let engine = start();

/**
 * Asks the engine. Where it has not answered after `limitMs` it is ended, and the promise rejected; like after a
 * trap, the next question goes to a new engine, which knows nothing of what the old one was told.
 */
export async function ask(request, limitMs) {
  const asked = engine;
  const watchdog = setTimeout(() => asked.end(`no answer within ${limitMs} ms`), limitMs);
  try {
    return await asked.ask(request);
  } catch (error) {
    asked.end(error.message);
    if (engine === asked) engine = start();
    throw error;
  } finally {
    clearTimeout(watchdog);
  }
}
