// Scripted agents: what an agent does at its first call, at its second, and so on.

import { PermanentError, RetryAfterError, type Json } from "@segno/kernel";
import { skip } from "../agents/skip.ts";
import type { StepContext } from "../agents/step-context.ts";
import { toMilliseconds, type Duration } from "./duration.ts";

export interface ResponseOptions {
  /** Virtual time that it takes; none when it is absent. */
  readonly after?: Duration;
}

export interface FailOptions extends ResponseOptions {
  /** Trying again will not help. */
  readonly permanent?: boolean;
  /** Trying again will help, but not before this. */
  readonly retryAfter?: Duration;
}

/** What happens at one call. */
export interface Response {
  readonly afterMs: number;
  /** Gives the output, or throws; nothing when it never ends. */
  readonly end: ((input: Json) => unknown) | undefined;
}

export function succeed(output: Json = null, options: ResponseOptions = {}): Response {
  return createResponse(options, () => output);
}

export function fail(message: string, options: FailOptions = {}): Response {
  return createResponse(options, () => {
    if (options.retryAfter !== undefined) throw new RetryAfterError(message, toMilliseconds(options.retryAfter));
    throw options.permanent === true ? new PermanentError(message) : new Error(message);
  });
}

/** The step has nothing to do (STATE-5). */
export function pass(reason: string, options: ResponseOptions = {}): Response {
  return createResponse(options, () => skip(reason));
}

/** Never ends, whatever its signal says. */
export function hang(): Response {
  return { afterMs: 0, end: undefined };
}

function createResponse({ after = 0 }: ResponseOptions, end: (input: Json) => unknown): Response {
  return { afterMs: toMilliseconds(after), end };
}

export interface RecordedCall {
  readonly input: Json;
  readonly executionId: string;
  readonly stepId: string;
  readonly attempt: number;
}

export class Script {
  readonly #responses: readonly Response[];
  /** Every call so far, over crashes too. */
  readonly calls: RecordedCall[] = [];

  constructor(acts: readonly Response[]) {
    if (acts.length === 0) throw new TypeError("a script has at least one act");
    this.#responses = acts;
  }

  async play(input: Json, context: StepContext, sleep: (ms: number) => Promise<void>): Promise<unknown> {
    const { executionId, stepId, attempt } = context;
    const { afterMs, end } = this.#responses[Math.min(this.calls.length, this.#responses.length - 1)]!;
    this.calls.push({ input, executionId, stepId, attempt });
    if (afterMs > 0) await Promise.race([sleep(afterMs), rejectOnAbort(context.signal)]);
    return end === undefined ? new Promise(() => undefined) : end(input);
  }
}

/** One act a call; the last one goes on for ever. */
export function script(acts: readonly Response[]): Script {
  return new Script(acts);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
