/** An error that Redis replies with, such as `WRONGTYPE Operation against a key …`. `message` is the whole line. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";

  /** The first word of the line: `ERR`, `WRONGTYPE`, `NOSCRIPT`, `BUSY`, or what a script has chosen. */
  get code(): string {
    return this.message.split(" ", 1)[0] ?? "";
  }
}

/** `call` found its command unanswered: the client is blocked, or a script runs on. `pending` gives the reply later. */
export class WaitingError<T = unknown> extends Error {
  override readonly name = "WaitingError";

  constructor(command: string, readonly pending: T) {
    super(
      `${command} is not answered yet: use send() for commands that wait, and move the clock or let another client act`,
    );
  }
}

/** The connection is closed, or its server has ended. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
}

/**
 * The WebAssembly module is lost, with all its servers: a script has exhausted its stack (Lua's pattern matching recurses
 * in C). The next `createServer` starts a fresh module.
 */
export class EngineLostError extends Error {
  override readonly name = "EngineLostError";
}
