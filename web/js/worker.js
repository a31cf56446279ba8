// A module of the playground's in a worker: the engine, or the one that `module` in the address names. Tells by an empty message that it
// is there, takes `{ id, request }`, answers `{ id, answer }`, or `{ id, lost }` where the module trapped, after which this worker is of
// no more use and whoever started it ends it.

const parameters = new URLSearchParams(self.location.search);
const name = parameters.get("module") ?? "playground-engine";
const version = parameters.get("v") ? `?v=${parameters.get("v")}` : "";
const loaded = import(`./${name}.js${version}`).then(async (module) => {
  await module.default({ module_or_path: new URL(`./${name}_bg.wasm${version}`, self.location) });
  self.postMessage({});
  return module;
});

self.onmessage = async ({ data: { id, request } }) => {
  try {
    self.postMessage({ id, answer: (await loaded).handle(request) });
  } catch (error) {
    self.postMessage({ id, lost: String(error) });
  }
};
