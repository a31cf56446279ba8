import { currentGeneration, engine, guard } from "./engine.js";

/** Lines and columns count from 1. */
export interface Diagnostic {
  line: number;
  column: number;
  message: string;
  help: string;
}

export interface Difference {
  line: number;
  /** Empty for a check of the whole story. */
  client: string;
  step: string;
  /** As redis-cli prints it. */
  expected: string;
  got: string;
}

/** A step as it went. Moments are microseconds since the start. */
export interface Step {
  line: number;
  step: string;
  sent: number;
  started: number | null;
  ended: number | null;
  waits: "blocked" | "running" | "queued" | null;
  /** As redis-cli prints it; null while there is none. */
  reply: string | null;
  received: { client: string; shown: string }[];
  /** Why it ended as it did, where `explain` was asked for and there is something to say. */
  explained?: { id: string; title: string; what: string; why: string; advice: string; docs: string; example: string; steps: number[] }[];
}

interface Reported {
  file: string;
  notes: string[];
  steps: Step[];
}

/** What became of a story; `ok` where every expected reply came. */
export type RunReport = Reported &
  (
    | { state: "ok" | "differs"; matched: number; differences: Difference[] }
    | { state: "skipped" | "failed"; reason: string }
    | { state: "unusable"; diagnostics: Diagnostic[] }
  );

export interface Outcome {
  /** How many orders lead to it, as digits: it may be larger than a number can be. */
  count: string;
  /** Of all orders, from 0 to 1. */
  share: number;
  keys: { db: number; key: string; value: string; expires_in_ms: number | null }[];
  clients: { client: string; reply: string | null; waits: boolean; undone: number }[];
  /** The checks that fail. */
  fails: string[];
  /** Who acts, one after the other, in one of the orders; `@` is the clock. */
  schedule: string;
  /** A story that plays that order. */
  witness: string;
}

export interface ExploredPart {
  line: number | null;
  /** How many orders there are, as digits. */
  schedules: string;
  sampled: boolean;
  states: number;
  /** The bound that stopped it before it had seen all; null where it is complete. */
  bound: number | null;
  checks: { check: string; line: number; failing: string }[];
  outcomes: Outcome[];
}

export type ExploreReport = { file: string } & (
  | { state: "ok" | "fails"; parts: ExploredPart[] }
  | { state: "skipped" | "failed"; reason: string }
  | { state: "unusable"; diagnostics: Diagnostic[] }
);

export interface Finding {
  rule: string;
  level: "error" | "warning" | "hint";
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  message: string;
  why: string;
  better: string;
}

export interface LintReport {
  file: string;
  findings: Finding[];
  /** Why the text, or a part of it, could not be read. */
  mistakes: { line: number; column: number; message: string }[];
}

export interface StoryOptions {
  /** The version to play as, where the story does not name its own. */
  version?: string;
  /** What the report calls it. */
  name?: string;
}

/**
 * Runs a story (Markdown with a `redis` fence) and compares every reply that it expects.
 * @throws TypeError for options that can't be had
 */
export function run(story: string, options: StoryOptions & { explain?: boolean } = {}): RunReport {
  const { name = "story.md", ...asked } = options;
  return answer((glue) => glue.run(name, story, JSON.stringify(asked)));
}

export interface ExploreOptions extends StoryOptions {
  /** States after which it gives up; what it has not seen, it has not shown. */
  maxStates?: number;
  /** Draw so many orders by chance instead of playing all. */
  sample?: number;
  /** What chance starts from; the same gives the same. */
  seed?: number;
  /** Which replies tell outcomes apart. */
  replies?: "none" | "last" | "all";
  /** Whether the clock's steps may change their places. */
  clock?: "free" | "pinned";
}

/**
 * Plays a story in every order in which its clients can act.
 * @throws TypeError for options that can't be had
 */
export function explore(story: string, options: ExploreOptions = {}): ExploreReport {
  const { name = "story.md", maxStates: max_states, ...asked } = options;
  return answer((glue) => glue.explore(name, story, JSON.stringify({ max_states, ...asked })));
}

/** Looks at a Lua script, or at a story with its scripts where the name does not end in `.lua`. */
export function lint(text: string, { name = "script.lua" }: { name?: string } = {}): LintReport {
  return answer((glue) => glue.lint(name, text));
}

function answer<T>(ask: (glue: ReturnType<typeof engine>) => string): T {
  const glue = engine();
  const report = JSON.parse(guard(currentGeneration(), () => ask(glue))) as T & { refused?: string };
  if (report.refused !== undefined) throw new TypeError(report.refused);
  return report;
}
