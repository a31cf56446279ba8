import { Client, type ClientOptions } from "./client.js";
import { Clock, micros } from "./clock.js";
import { type Machine, currentGeneration, engine, guard } from "./engine.js";
import { ClosedError } from "./errors.js";

export interface ServerOptions {
  /** `"7.0"`, `"7.2"`, `"7.4"`, `"8.0"`, `"8.2"`, `"8.4"` or `"8.6"`, which is what it is unless given. */
  version?: string;
  /**
   * Where the clock starts: milliseconds since 1970, or a Date; 2026-01-01 unless given. A function is followed instead:
   * `Date.now` makes the clock a real one, or the fake one of a test runner's timers.
   */
  now?: number | Date | (() => number);
  /** Parameters, as CONFIG SET has them; also those that only a file can set. */
  config?: Record<string, string | number>;
  /** Cluster mode: true for one node with all slots, or a layout as `@ cluster` has it in a story. */
  cluster?: boolean | string;
  /** How long a command takes, in whole microseconds; 0 unless given, so that time only passes when it is told to. */
  commandMicros?: number;
  /** Lua VM instructions per microsecond, at least 1; 100 unless given, about what a real machine does. */
  instructionsPerMicro?: number;
}

/** What a connection gets. Each call has one whole reply or message. */
export interface Receiver {
  /** Answers the oldest unanswered command. */
  reply(bytes: Uint8Array): void;
  /** Answers none. */
  push(bytes: Uint8Array): void;
  /** The server has closed the connection. */
  closed(): void;
  /** All that was sent has been dealt with, answered or not. */
  idle?(): void;
}

/** A raw connection, for adapters: bytes of RESP in, bytes of RESP out. */
export interface Connection {
  readonly id: number;
  readonly isOpen: boolean;
  /** Takes requests, whole or in parts. Replies have arrived when it returns. */
  write(bytes: Uint8Array): void;
  close(): void;
}

type Output = readonly [what: 0 | 1 | 2 | 3, client: number, bytes: Uint8Array];

/** A Redis server in memory. It shares nothing with others, and is gone with its last reference. */
export class Server {
  readonly clock: Clock;

  readonly #machine: Machine;
  readonly #generation: number;
  readonly #receivers = new Map<number, Receiver>();
  #outputs: Output[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Use {@link createServer}. @internal */
  constructor(options: ServerOptions) {
    const { Machine } = engine();
    this.#generation = currentGeneration();
    this.#machine = new Machine(asJson(options));
    this.clock = new Clock(this, typeof options.now === "function" ? options.now : undefined);
  }

  /** The full number, such as `8.2.3`. */
  get version(): string {
    return this.#guard(() => this.#machine.version);
  }

  /** A new client, connected. */
  client(options: ClientOptions = {}): Client {
    return new Client((receiver) => this.connect(receiver), options);
  }

  /**
   * A raw connection.
   * @throws ClosedError where SHUTDOWN has ended the server
   */
  connect(receiver: Receiver): Connection {
    const id = this.#guard(() => this.#machine.connect());
    if (id === 0) throw new ClosedError("the server has ended; restart() starts it again");
    this.#receivers.set(id, receiver);
    const isOpen = () => this.#receivers.has(id);
    return {
      id,
      get isOpen() {
        return isOpen();
      },
      write: (bytes) => {
        if (!isOpen()) throw new ClosedError("the connection is closed");
        this.clock.sync();
        this.#do(() => this.#machine.feed(id, bytes));
      },
      close: () => {
        if (this.#receivers.delete(id)) this.#do(() => this.#machine.disconnect(id));
      },
    };
  }

  /** Ends the process and starts it again: connections, watches and the script cache are gone. */
  restart({ keepData = true }: { keepData?: boolean } = {}): void {
    this.#do(() => this.#machine.restart(keepData));
  }

  /** A replica takes over: data and functions are kept, connections and the script cache are lost. */
  failover(): void {
    this.#do(() => this.#machine.failover());
  }

  /** @internal */
  nowMicros(): bigint {
    return this.#guard(() => this.#machine.now);
  }

  /** @internal */
  dueMicros(): bigint | undefined {
    return this.#guard(() => this.#machine.due);
  }

  /** @internal */
  advanceTo(to: bigint): void {
    this.#do(() => this.#machine.advance(to));
  }

  #guard<T>(work: () => T): T {
    return guard(this.#generation, work);
  }

  #do(work: () => unknown[]): void {
    const flat = this.#guard(work);
    for (let at = 0; at < flat.length; at += 3) this.#outputs.push(flat.slice(at, at + 3) as unknown as Output);
    this.#deliver();
    this.#wakeWhenDue();
  }

  /** A receiver may act in turn: what comes of that is delivered behind what is still to be delivered now. */
  #deliver(): void {
    for (let output = this.#outputs.shift(); output; output = this.#outputs.shift()) {
      const [what, client, bytes] = output;
      const receiver = this.#receivers.get(client);
      if (what === 0) receiver?.reply(bytes);
      else if (what === 1) receiver?.push(bytes);
      else if (what === 2 && this.#receivers.delete(client)) receiver?.closed();
    }
    for (const [client, receiver] of this.#receivers) {
      if (receiver.idle && !this.#guard(() => this.#machine.waits(client))) receiver.idle();
    }
  }

  /** Where the clock follows a function, what is due comes by itself. */
  #wakeWhenDue(): void {
    clearTimeout(this.#timer);
    const ms = this.clock.untilDue();
    if (ms === undefined) return;
    // A program does not stay alive for it; longer spans than a timer takes are waited for in parts.
    const timer: unknown = (this.#timer = setTimeout(() => this.#catchUp(), Math.min(ms, 2 ** 31 - 1)));
    (timer as { unref?: () => void }).unref?.();
  }

  #catchUp(): void {
    this.clock.sync();
    this.#wakeWhenDue();
  }
}

/**
 * A new server.
 * @throws Error where an option can't be had, with the reason
 */
export function createServer(options: ServerOptions = {}): Server {
  return new Server(options);
}

function asJson({ version, now, config = {}, cluster, commandMicros, instructionsPerMicro }: ServerOptions): string {
  const start = typeof now === "function" ? now() : now;
  return JSON.stringify({
    version,
    now_micros: start === undefined ? undefined : String(micros(start, "now")),
    config: Object.entries(config).map(([name, value]) => [name, String(value)]),
    cluster: cluster === true ? "" : cluster === false ? undefined : cluster,
    command_micros: commandMicros,
    instructions_per_micro: instructionsPerMicro,
  });
}
