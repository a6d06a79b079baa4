// The function runner: agents that are functions of this process.
//
//   R1. An attempt ends once. What comes after its end, or after it was given up, counts for nothing.
//   R2. Whatever a function throws or returns becomes an outcome; nothing that it does can harm the engine.
//   R3. A function that ignores its signal cannot be stopped; it is given up, and noted until it settles (CANCEL-2).

import { checkJson, failureOf, inline, VALUE_BYTES_MAX, type Failure, type Json, type Outcome } from "@segno/kernel";
import type { Agent } from "./agent.ts";
import type { Attempt, Runner } from "./runner.ts";
import { Skip } from "./skip.ts";
import { AttemptContext } from "./step-context.ts";

interface Running {
  readonly attempt: Attempt;
  readonly context: AttemptContext;
}

export class FunctionRunner implements Runner {
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #running = new Map<string, Running>();
  /** Given up, but not settled yet. */
  readonly #abandoned = new Set<string>();
  #waiters: (() => void)[] = [];

  constructor(agents: ReadonlyMap<string, Agent>) {
    this.#agents = agents;
  }

  get abandoned(): number {
    return this.#abandoned.size;
  }

  knows(agent: string): boolean {
    return this.#agents.has(agent);
  }

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  start(attempt: Attempt): void {
    const context = new AttemptContext(attempt);
    const running: Running = { attempt, context };
    this.#running.set(attempt.key, running);
    // The call itself is put behind a promise, so that a function that throws at once is like one that throws later.
    Promise.resolve()
      .then(() => {
        // CANCEL-1: what was told to stop before it began does not begin.
        context.throwIfAborted();
        return this.#agents.get(attempt.agent)!.execute(attempt.outputs(), context);
      })
      .then(
        (value: unknown) => this.#settle(running, () => succeeded(value)),
        (error: unknown) => this.#settle(running, () => failed(error, context)),
      );
  }

  abort(key: string, force: boolean, reason: string): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    running.context.abort(reason);
    if (!force) return;
    this.#running.delete(key);
    this.#abandoned.add(key);
    this.#wake();
  }

  abandonAll(reason: string): void {
    for (const key of this.#running.keys()) this.abort(key, true, reason);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  async idle(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #settle({ attempt }: Running, outcome: () => Outcome): void {
    if (this.#abandoned.delete(attempt.key) || !this.#running.delete(attempt.key)) return;
    attempt.end(outcome());
    this.#wake();
  }

  #wake(): void {
    if (this.#running.size > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

const NOTHING: Outcome = Object.freeze({ kind: "succeeded", output: inline(null) });

function succeeded(value: unknown): Outcome {
  if (value === undefined || value === null) return NOTHING;
  if (value instanceof Skip) return { kind: "skipped", message: value.reason };
  const check = checkJson(value);
  if (check.kind === "not-json") return { kind: "failed", failure: notJson(check.path, check.found) };
  const bytes = sizeOf(check.json);
  return bytes > VALUE_BYTES_MAX
    ? { kind: "failed", failure: tooLarge(bytes) }
    : { kind: "succeeded", output: inline(copied(check.json)) };
}

/** Numbers and short texts are small; measuring them would cost more than they weigh. */
function sizeOf(json: Json): number {
  if (typeof json === "object" && json !== null) return Buffer.byteLength(JSON.stringify(json));
  return typeof json === "string" ? Buffer.byteLength(json) : 8;
}

/** What the function returned is its own, and it may go on changing it; what the journal says must not change. */
function copied(json: Json): Json {
  return typeof json === "object" && json !== null ? (JSON.parse(JSON.stringify(json)) as Json) : json;
}

function notJson(path: string, found: string): Failure {
  return { class: "permanent", code: "OUTPUT_NOT_JSON", message: `the output holds ${found}, which is not JSON`, path };
}

function tooLarge(bytes: number): Failure {
  return {
    class: "permanent",
    code: "VALUE_TOO_LARGE",
    message: `the output has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`,
  };
}

function failed(error: unknown, context: AttemptContext): Outcome {
  return { kind: "failed", failure: context.isAborted ? failureOf(error, "cancelled") : failureOf(error) };
}
