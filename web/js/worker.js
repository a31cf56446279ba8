// The engine in a worker: takes `{ id, request }`, answers `{ id, answer }`, or `{ id, lost }` where the engine
// trapped, after which this worker is of no more use and whoever started it ends it.

const version = self.location.search;
const engine = import(`./playground-engine.js${version}`).then(async (module) => {
  await module.default({ module_or_path: new URL(`./playground-engine_bg.wasm${version}`, self.location) });
  return module;
});

self.onmessage = async ({ data: { id, request } }) => {
  try {
    self.postMessage({ id, answer: (await engine).handle(request) });
  } catch (error) {
    self.postMessage({ id, lost: String(error) });
  }
};
