/** Lets client libraries talk to a server in the same process. */
import { mkdtempSync, rmSync } from "node:fs";
import { type Server as Listener, type Socket, createServer as createListener } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import type { Connection, Server } from "./server.js";

/** A connection as a stream: requests are written, replies are read. It has what ioredis asks of a socket. */
export class PlaygroundStream extends Duplex {
  readonly remoteAddress = "in-process";
  readonly remotePort = 0;
  readonly #connection: Connection;

  constructor(server: Server) {
    // As a socket: where the server has closed, there is nobody left to write to.
    super({ allowHalfOpen: false });
    this.#connection = server.connect({
      reply: (bytes) => this.push(bytes),
      push: (bytes) => this.push(bytes),
      closed: () => this.push(null),
    });
  }

  override _read(): void {
    // Replies are pushed as they come.
  }

  /** Not at once: no library expects a reply before its own call to `write` is over. */
  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    queueMicrotask(() => {
      try {
        // What is sent to a server that has closed is lost; that it has closed is told by the end of the stream.
        if (this.#connection.isOpen) this.#connection.write(bytes);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  }

  override _final(done: () => void): void {
    if (this.#connection.isOpen) {
      this.#connection.close();
      this.push(null);
    }
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#connection.isOpen) this.#connection.close();
    done(error);
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * For ioredis: `new Redis({ Connector: connector(server) })`. Subscribers, `duplicate()` and reconnection work as usual.
 *
 * The type is loose on purpose: ioredis is no dependency of this package.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function connector(server: Server): new (options: any) => any {
  return class {
    firstError: Error | undefined;
    #stream: PlaygroundStream | undefined;

    check(): boolean {
      return true;
    }

    async connect(): Promise<PlaygroundStream> {
      this.#stream = new PlaygroundStream(server);
      return this.#stream;
    }

    disconnect(): void {
      this.#stream?.end();
    }
  };
}

/**
 * For libraries that make their sockets themselves, such as node-redis: `createClient({ socket: { path } })`. A Unix
 * socket in a folder of its own (a named pipe on Windows), and no port.
 */
export async function listen(server: Server): Promise<{ path: string; close(): Promise<void> }> {
  const folder = process.platform === "win32" ? undefined : mkdtempSync(join(tmpdir(), "redis-playground-"));
  const path = folder ? join(folder, "socket") : `\\\\.\\pipe\\redis-playground-${process.pid}-${pipes++}`;
  const sockets = new Set<Socket>();
  const listener: Listener = createListener((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(server, socket);
  });
  await new Promise<void>((resolve, reject) => listener.once("error", reject).listen(path, resolve));
  return {
    path,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
      if (folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

let pipes = 0;

function serve(server: Server, socket: Socket): void {
  let stream: PlaygroundStream;
  try {
    stream = new PlaygroundStream(server);
  } catch {
    // The server has ended: there is nobody to connect to.
    socket.destroy();
    return;
  }
  socket.on("error", () => stream.destroy());
  stream.on("error", () => socket.destroy());
  socket.pipe(stream).pipe(socket);
}
