import { ClosedError, ReplyError, WaitingError } from "./errors.js";
import type { Connection, Receiver } from "./server.js";
import { type Argument, type Reply, decodeReply, encodeCommand } from "./resp.js";

export interface ClientOptions {
  /** 2 or 3; 2 unless given. */
  protocol?: 2 | 3;
  /** Give strings as bytes. Without it they are decoded as UTF-8, which loses what is none. */
  binary?: boolean;
}

/** The reply to a command that was sent, there or still to come. */
export class Pending<T = Reply> {
  #state: { reply: Reply } | { silent: true } | { error: Error } | undefined;
  #waiting: (() => void)[] = [];

  /** Whether `value` can be had. */
  get done(): boolean {
    return this.#state !== undefined;
  }

  /**
   * The reply; undefined where the server has ended the command without one (CLIENT REPLY OFF).
   * @throws ReplyError where the reply is an error; ClosedError where the connection ended first; Error while it waits
   */
  get value(): T {
    if (!this.#state) throw new Error("there is no reply yet");
    if ("error" in this.#state) throw this.#state.error;
    if ("silent" in this.#state) return undefined as T;
    if (this.#state.reply instanceof ReplyError) throw this.#state.reply;
    return this.#state.reply as T;
  }

  /** Resolves or rejects as `value` does. It does not move the clock: await it where something else does. */
  promise(): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        try {
          resolve(this.value);
        } catch (error) {
          reject(error);
        }
      };
      if (this.done) settle();
      else this.#waiting.push(settle);
    });
  }

  /** @internal */
  settle(state: { reply: Reply } | { silent: true } | { error: Error }): void {
    this.#state = state;
    for (const settle of this.#waiting.splice(0)) settle();
  }
}

/** A connection to a server. Everything it does is done when its methods return; nothing is asynchronous. */
export class Client {
  /** Called with each message as it comes; without it they are kept for `messages()`. */
  onMessage: ((message: Reply) => void) | undefined;

  readonly #connection: Connection;
  readonly #binary: boolean;
  #unanswered: Pending<unknown>[] = [];
  #messages: Reply[] = [];

  /** @internal */
  constructor(connect: (receiver: Receiver) => Connection, options: ClientOptions) {
    this.#binary = options.binary ?? false;
    this.#connection = connect({
      reply: (bytes) => this.#unanswered.shift()?.settle({ reply: this.#decode(bytes) }),
      push: (bytes) => this.#hear(this.#decode(bytes)),
      idle: () => this.#unanswered.splice(0).forEach((pending) => pending.settle({ silent: true })),
      closed: () => {
        const error = new ClosedError("the server has closed the connection");
        this.#unanswered.splice(0).forEach((pending) => pending.settle({ error }));
      },
    });
    if (options.protocol === 3) this.call("HELLO", 3);
  }

  /** What CLIENT ID answers. */
  get id(): number {
    return this.#connection.id;
  }

  /** Whether neither side has closed the connection. */
  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /**
   * Sends a command and gives its reply.
   * @throws ReplyError where that is an error, WaitingError where there is none yet, ClosedError after the end
   */
  call<T = Reply>(command: string, ...args: Argument[]): T {
    const pending = this.send<T>(command, ...args);
    if (!pending.done) throw new WaitingError(command, pending);
    return pending.value;
  }

  /**
   * Sends a command that may wait, and goes on. Commands that are sent meanwhile queue up, as on a real connection.
   * @throws ClosedError after the end
   */
  send<T = Reply>(command: string, ...args: Argument[]): Pending<T> {
    if (!this.isOpen) throw new ClosedError("the connection is closed");
    const bytes = encodeCommand([command, ...args]);
    const pending = new Pending<T>();
    this.#unanswered.push(pending);
    this.#connection.write(bytes);
    return pending;
  }

  /** Takes what has come that answers no command, oldest first: messages of channels, invalidations, MONITOR's lines. */
  messages<T = Reply>(): T[] {
    return this.#messages.splice(0) as T[];
  }

  /** Ends the connection, as a client that is gone: its transactions, watches and waits end with it. */
  close(): void {
    this.#connection.close();
    const error = new ClosedError("the connection was closed");
    this.#unanswered.splice(0).forEach((pending) => pending.settle({ error }));
  }

  #decode(bytes: Uint8Array): Reply {
    return decodeReply(bytes, this.#binary);
  }

  #hear(message: Reply): void {
    if (this.onMessage) this.onMessage(message);
    else this.#messages.push(message);
  }
}
