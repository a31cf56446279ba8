// For Node.js: the module is read at its first use, without waiting.
import { readFileSync } from "node:fs";
import { loadFrom } from "./engine.js";

loadFrom(() => readFileSync(new URL("../wasm/engine_bg.wasm", import.meta.url)));

export * from "./api.js";
