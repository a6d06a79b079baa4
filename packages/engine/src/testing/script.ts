// Scripted agents: define the response of an agent at its first call, at its second, and so on.

import { PermanentError, RetryAfterError, type Json } from "@segno/kernel";
import { skip } from "../agents/skip.ts";
import type { StepContext } from "../agents/step-context.ts";
import { toMilliseconds, type Duration } from "./duration.ts";

/** Options of a scripted response. */
export interface ResponseOptions {
  /** The virtual time that the call takes. The default is none. */
  readonly after?: Duration;
}

/** Options of `fail`. */
export interface FailOptions extends ResponseOptions {
  /** The failure is permanent, so it is not retried. */
  readonly permanent?: boolean;
  /** The failure is transient, and the retry waits at least this long. */
  readonly retryAfter?: Duration;
}

/** The response to one call. */
export interface Response {
  readonly afterMs: number;
  /** Returns the output or throws; undefined if the call never ends. */
  readonly end: ((input: Json) => unknown) | undefined;
}

/** A scripted response that ends the attempt with this output. */
export function succeed(output: Json = null, options: ResponseOptions = {}): Response {
  return createResponse(options, () => output);
}

/** A scripted response that fails the attempt. The failure is transient unless `permanent` is set. */
export function fail(message: string, options: FailOptions = {}): Response {
  return createResponse(options, () => {
    if (options.retryAfter !== undefined) throw new RetryAfterError(message, toMilliseconds(options.retryAfter));
    throw options.permanent === true ? new PermanentError(message) : new Error(message);
  });
}

/** The step is skipped (STATE-5). */
export function pass(reason: string, options: ResponseOptions = {}): Response {
  return createResponse(options, () => skip(reason));
}

/** Never ends, and ignores its signal. */
export function hang(): Response {
  return { afterMs: 0, end: undefined };
}

function createResponse({ after = 0 }: ResponseOptions, end: (input: Json) => unknown): Response {
  return { afterMs: toMilliseconds(after), end };
}

/** A call of a scripted agent. */
export interface RecordedCall {
  readonly input: Json;
  readonly executionId: string;
  readonly stepId: string;
  readonly attempt: number;
}

/** An agent that answers with scripted responses, in order, and records its calls. `script` makes one. */
export class Script {
  readonly #responses: readonly Response[];
  /** All calls so far, across crashes. */
  readonly calls: RecordedCall[] = [];

  constructor(acts: readonly Response[]) {
    if (acts.length === 0) throw new TypeError("a script needs at least one response");
    this.#responses = acts;
  }

  /** Called by the test engine: answers one call with the next response. */
  async play(input: Json, context: StepContext, sleep: (ms: number) => Promise<void>): Promise<unknown> {
    const { execution, step, attempt } = context;
    const { afterMs, end } = this.#responses[Math.min(this.calls.length, this.#responses.length - 1)]!;
    this.calls.push({ input, executionId: execution.id, stepId: step.id, attempt });
    if (afterMs > 0) await Promise.race([sleep(afterMs), rejectOnAbort(context.signal)]);
    return end === undefined ? new Promise(() => undefined) : end(input);
  }
}

/**
 * One response per call; the last one repeats for ever.
 *
 * @example
 * ```ts
 * import { agent, workflow } from "segno";
 * import { fail, openTestEngine, script, succeed } from "segno/testing";
 *
 * const charge = script([fail("busy", { retryAfter: "1m" }), succeed("paid")]);
 * const pay = workflow("pay")
 *   .step("charge", agent<string>("charge"))
 *   .output(({ outputs }) => outputs.charge);
 *
 * await using test = await openTestEngine({ agents: { charge } });
 * const execution = await test.start(pay);
 * await test.advance("1m");
 * console.log(await execution.result(), charge.calls.length); // paid 2
 * ```
 */
export function script(acts: readonly Response[]): Script {
  return new Script(acts);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
