// Recorded calls: a handler calls something by name, and the journal keeps its value (STATE-14).

import type { RawStep } from "@segno/contract";
import type { Jsonified, JsonWork } from "./jsonified.ts";

/**
 * Calls `work` and records its value under this name. The value is in the journal when the promise resolves: a later attempt
 * of the step gets it back, also after a crash, and does not call `work` again. Only the names must be stable; a name that
 * is used repeatedly gets a number. A call that fails is not recorded.
 *
 * ```ts
 * .step("answer", async ({ input, run }) => {
 *   const plan = await run("plan", () => makePlan(input.question));
 *   return run("answer", () => answer(plan), { retry: 5, timeout: "1m" });
 * })
 * ```
 */
export type RunCall = <Result>(
  name: string,
  work: RecordedWork<Result> & JsonWork<Result>,
  options?: CallOptions,
) => Promise<RecordedValue<Result>>;

/** The function of a recorded call. Its value must be JSON. */
export type RecordedWork<Result> = (call: CallContext) => Result | Promise<Result>;

/** The context of a recorded call. */
export interface CallContext {
  /** Aborts when the attempt of the step should stop, and at the `timeout` of the call. */
  readonly signal: AbortSignal;
  /** The number of this try of the call, from 1. */
  readonly attempt: number;
}

/** Policies of a recorded call. */
export interface CallOptions {
  /** As the `retry` of a step; without it, a call that fails is not tried again by itself. */
  readonly retry?: RawStep["retry"];
  /** The maximum duration of one try. */
  readonly timeout?: RawStep["timeout"];
}

/** A call without a result has the value null; all else is what it is as JSON (DATA-8). */
export type RecordedValue<Result> = Result extends undefined | void ? null : Jsonified<Result>;
