import * as glue from "../wasm/engine.js";
import { EngineLostError } from "./errors.js";

export type { Machine } from "../wasm/engine.js";

/** Loads the module at its first use; a browser has it loaded before. */
let load: () => void = () => {};
let isLoaded = false;
let isLost = false;
/** Counts the instances of the module: what belongs to an earlier one is gone. */
let generation = 0;

/** Where the module's bytes come from, where they can be had without waiting. */
export function loadFrom(read: () => Uint8Array): void {
  load = () => void glue.initSync({ module: new WebAssembly.Module(read() as Uint8Array<ArrayBuffer>) });
}

/** The module, afresh where the last one was lost. */
export function engine(): typeof glue {
  if (!isLoaded) load();
  isLoaded = true;
  if (isLost) {
    glue.__wbg_reset_state();
    isLost = false;
    generation++;
  }
  return glue;
}

export function currentGeneration(): number {
  return generation;
}

/** Runs what belongs to an instance of the module, and notices when that is lost. */
export function guard<T>(own: number, work: () => T): T {
  if (isLost || own !== generation) throw new EngineLostError("this server is gone: a script has exhausted the engine");
  try {
    return work();
  } catch (error) {
    // An exhausted stack is a RangeError in some engines; whatever has cut the module short, its state is in pieces.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      isLost = true;
      throw new EngineLostError(`the engine is lost: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
