import type { Server } from "./server.js";

const MICROS_MAX = 2n ** 53n * 1000n;

/** A moment or a span in milliseconds (fractions are kept to the microsecond) as microseconds. */
export function micros(ms: number | Date, what: string): bigint {
  const value = typeof ms === "number" ? ms : ms.getTime();
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`${what} is from 0 to 2^53 milliseconds, not ${value}`);
  }
  const whole = Math.floor(value);
  return BigInt(whole) * 1000n + BigInt(Math.round((value - whole) * 1000));
}

/** A server's clock: it stands still but for what it is told, and for the time that scripts take. */
export class Clock {
  readonly #server: Server;
  readonly #follows: (() => number) | undefined;

  /** @internal */
  constructor(server: Server, follows: (() => number) | undefined) {
    this.#server = server;
    this.#follows = follows;
  }

  /** Whole milliseconds since 1970. */
  get now(): number {
    return Number(this.nowMicros / 1000n);
  }

  /** Microseconds since 1970. */
  get nowMicros(): bigint {
    return this.#server.nowMicros();
  }

  /**
   * Lets time pass: keys expire, waits end, scripts go on.
   * @param ms milliseconds, at least 0; fractions are kept to the microsecond
   */
  advance(ms: number): void {
    this.#move(this.nowMicros + micros(ms, "a span"));
  }

  /**
   * Lets time pass up to a moment.
   * @param moment milliseconds since 1970, or a Date; not before `now`
   */
  set(moment: number | Date): void {
    const to = micros(moment, "a moment");
    if (to / 1000n < this.nowMicros / 1000n) throw new RangeError("the clock does not run backwards");
    this.#move(to);
  }

  /** Catches up with the function that `now` was given as; it is called before each command anyway. */
  sync(): void {
    if (!this.#follows) return;
    const to = micros(this.#follows(), "what `now` answers");
    if (to > this.nowMicros) this.#server.advanceTo(to);
  }

  /** @internal Milliseconds until something happens by itself, where the clock follows a function. */
  untilDue(): number | undefined {
    const due = this.#follows && this.#server.dueMicros();
    return due === undefined ? undefined : Math.max(0, Math.ceil(Number(due - this.nowMicros) / 1000));
  }

  #move(to: bigint): void {
    if (this.#follows) throw new TypeError("this clock follows the function given as `now`: move that one");
    if (to > MICROS_MAX) throw new RangeError("the clock ends at 2^53 milliseconds");
    this.#server.advanceTo(to);
  }
}
