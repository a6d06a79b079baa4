// Scripted agents: what an agent does at its first call, at its second, and so on.

import { PermanentError, RetryAfterError, type Json } from "@segno/kernel";
import { skip } from "../runners/skip.ts";
import type { StepContext } from "../runners/step-context.ts";
import { millisecondsOf, type Duration } from "./duration.ts";

export interface ActOptions {
  /** Virtual time that it takes; none when it is absent. */
  readonly after?: Duration;
}

export interface FailOptions extends ActOptions {
  /** Trying again will not help. */
  readonly permanent?: boolean;
  /** Trying again will help, but not before this. */
  readonly retryAfter?: Duration;
}

/** What happens at one call. */
export interface Act {
  readonly afterMs: number;
  /** Gives the output, or throws; nothing when it never ends. */
  readonly end: ((input: Json) => unknown) | undefined;
}

export function succeed(output: Json = null, options: ActOptions = {}): Act {
  return act(options, () => output);
}

export function fail(message: string, options: FailOptions = {}): Act {
  return act(options, () => {
    if (options.retryAfter !== undefined) throw new RetryAfterError(message, millisecondsOf(options.retryAfter));
    throw options.permanent === true ? new PermanentError(message) : new Error(message);
  });
}

/** The step has nothing to do (STATE-5). */
export function pass(reason: string, options: ActOptions = {}): Act {
  return act(options, () => skip(reason));
}

/** Never ends, whatever its signal says. */
export function hang(): Act {
  return { afterMs: 0, end: undefined };
}

function act({ after = 0 }: ActOptions, end: (input: Json) => unknown): Act {
  return { afterMs: millisecondsOf(after), end };
}

export interface Call {
  readonly input: Json;
  readonly executionId: string;
  readonly stepId: string;
  readonly attempt: number;
}

export class Script {
  readonly #acts: readonly Act[];
  /** Every call so far, over crashes too. */
  readonly calls: Call[] = [];

  constructor(acts: readonly Act[]) {
    if (acts.length === 0) throw new TypeError("a script has at least one act");
    this.#acts = acts;
  }

  async play(input: Json, context: StepContext, sleep: (ms: number) => Promise<void>): Promise<unknown> {
    const { executionId, stepId, attempt } = context;
    const { afterMs, end } = this.#acts[Math.min(this.calls.length, this.#acts.length - 1)]!;
    this.calls.push({ input, executionId, stepId, attempt });
    if (afterMs > 0) await Promise.race([sleep(afterMs), aborted(context.signal)]);
    return end === undefined ? new Promise(() => undefined) : end(input);
  }
}

/** One act a call; the last one goes on for ever. */
export function script(acts: readonly Act[]): Script {
  return new Script(acts);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
