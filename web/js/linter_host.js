// Asks the lints: a module of its own, in a worker of its own, that is fetched when somebody writes for the first time.
// Lints are an extra: what can't be had, takes too long or is lost over a text is done without.

const LIMIT_MS = 20_000;
let worker;
let last = Promise.resolve(null);

function ask(text) {
  const url = new URL("worker.js", document.baseURI);
  url.searchParams.set("v", document.querySelector('meta[name="engine-version"]')?.content ?? "");
  url.searchParams.set("module", "playground-linter");
  worker ??= new Worker(url, { type: "module" });
  const asked = worker;
  return new Promise((resolve) => {
    const end = (answer) => {
      clearTimeout(watchdog);
      if (answer === null) {
        asked.terminate();
        worker = undefined;
      }
      resolve(answer);
    };
    // The first text waits until the module is there, too.
    const watchdog = setTimeout(() => end(null), LIMIT_MS);
    asked.onmessage = ({ data: { id, answer } }) => id === 0 && end(answer ?? null);
    asked.onerror = () => end(null);
    asked.postMessage({ id: 0, request: text });
  });
}

/** What the lints say of a story, as JSON; null where they say nothing. One text is looked at after the other. */
export function lint(text) {
  last = last.then(() => ask(text)).catch(() => null);
  return last;
}
