export type { Client, ClientOptions, Pending } from "./client.js";
export type { Clock } from "./clock.js";
export { ClosedError, EngineLostError, ReplyError, WaitingError } from "./errors.js";
export type { Argument, Reply, ReplyMap, ReplySet } from "./resp.js";
export { type Connection, type Receiver, type Server, type ServerOptions, createServer } from "./server.js";
export * from "./stories.js";
