// For browsers, which only load without blocking: whoever imports this waits for the module.
import load from "../wasm/engine.js";

await load();

export * from "./api.js";
