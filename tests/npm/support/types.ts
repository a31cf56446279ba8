// Compiled, never run.
import { type Client, type Reply, type RunReport, WaitingError, createServer, run } from "redis-playground";
import { connector, listen } from "redis-playground/node";

const server = createServer({ version: "7.2", now: new Date(), config: { "maxmemory-policy": "allkeys-lru" }, cluster: true });
const client: Client = server.client({ protocol: 3, binary: true });
const any: Reply = client.call("GET", "k", 1, 2n, new Uint8Array());
const count: number = client.call<number>("INCR", "n");
const waiting = client.send<[string, string]>("BLPOP", "q", 0);
const later: Promise<[string, string]> = waiting.promise();
const now: number = server.clock.now + Number(server.clock.nowMicros);

const report: RunReport = run("", { explain: true });
if (report.state === "differs") report.differences[0]!.got.trim();
// @ts-expect-error only differing and fine reports have differences
report.differences;
// @ts-expect-error a boolean is no argument
client.call("SET", "k", true);
// @ts-expect-error there is no fourth protocol
server.client({ protocol: 4 });
// @ts-expect-error servers are made by createServer
new server.constructor.Server();

export { WaitingError, any, connector, count, later, listen, now };
