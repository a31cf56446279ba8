// A rate limiter's script, tested on a clock that only moves when it is told to. Run it with Vitest.
import { readFileSync } from "node:fs";
import { createServer, explore, lint } from "redis-playground";
import { beforeEach, describe, expect, test } from "vitest";

const script = readFileSync(new URL("rate-limit.lua", import.meta.url), "utf8");
const LIMIT = 3;
const WINDOW_MS = 1000;

/** A call of the script, with names for what it answers. */
function take(client, user) {
  const [allowed, number] = client.call("EVAL", script, 1, `limit:${user}`, LIMIT, WINDOW_MS);
  return allowed === 1 ? { left: number } : { retryAfterMs: number };
}

describe.each(["7.0", "7.2", "8.2"])("the rate limiter on Redis %s", (version) => {
  let server;
  let client;

  beforeEach(() => {
    server = createServer({ version });
    client = server.client();
  });

  test("lets so many calls through, and says how long to wait after that", () => {
    expect([1, 2, 3].map(() => take(client, "ada"))).toEqual([{ left: 2 }, { left: 1 }, { left: 0 }]);
    server.clock.advance(400);
    expect(take(client, "ada")).toEqual({ retryAfterMs: 600 });
  });

  test("keeps users apart", () => {
    [1, 2, 3].forEach(() => take(client, "ada"));
    expect(take(client, "bob")).toEqual({ left: 2 });
  });

  test("begins anew when the window is over", () => {
    [1, 2, 3, 4].forEach(() => take(client, "ada"));
    // A key lives to the end of its last millisecond.
    server.clock.advance(WINDOW_MS);
    expect(take(client, "ada")).toEqual({ retryAfterMs: 0 });
    server.clock.advance(1);
    expect(take(client, "ada")).toEqual({ left: 2 });
  });
});

test("two clients at once never get more than the limit, in any order", () => {
  const call = `EVAL $limit 1 limit:ada 1 1000`;
  const story = `
\`\`\`lua limit
${script}
\`\`\`
\`\`\`redis
A> ${call}
B> ${call}
@ finally GET limit:ada
"2"
\`\`\``;
  const report = explore(story, { replies: "all" });
  expect(report.state).toBe("ok");
  const allowed = report.parts[0].outcomes.map(({ clients }) => clients.filter(({ reply }) => reply.startsWith("1) (integer) 1")).length);
  expect(allowed).toEqual(allowed.map(() => 1));
});

test("the script has nothing that the lints complain about", () => {
  expect(lint(script).findings.filter(({ level }) => level === "error")).toEqual([]);
});
