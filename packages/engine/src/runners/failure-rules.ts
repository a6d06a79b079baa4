// The user's callbacks for failures (FAIL-7): `classify` sets the class of an error, `resolve` decides what to do about
// a failed attempt.
//
//   F1. If a callback returns nothing, throws, rejects or times out, the engine's own rules apply; everything but the
//       first is reported.
//   F2. The step's retry policy has the last word: `retry` makes a failure retryable, it does not add attempts.
//   F3. A cancelled attempt stays cancelled.

import { classifyError, durationMs, SegnoError, type Failure, type FailureClass, type Outcome } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { isThenable } from "../checks/thenable.ts";
import { pendingClass, type Classify } from "./function-outcome.ts";

export interface FailureOptions {
  /** Returns the class of an error; `undefined` leaves it to the engine (FAIL-1). */
  readonly classify?: (error: unknown) => FailureClass | undefined | Promise<FailureClass | undefined>;
  /** Decides what to do about a failed attempt; `undefined` leaves it to the failure's class. */
  readonly resolve?: (
    failure: Failure,
    context: FailedAttempt,
  ) => Resolution | undefined | Promise<Resolution | undefined>;
}

export interface FailedAttempt {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly attempt: number;
}

export type Resolution = "retry" | "fail" | { readonly retryAfterMs: number };

/** One year: longer values are surely mistakes, and not all of them could be recorded. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000;

const CLASSES: ReadonlySet<unknown> = new Set<FailureClass>(["transient", "permanent", "timeout", "cancelled"]);

export interface FailureRulesPorts {
  readonly limit: Pick<CallbackLimit, "awaitResult">;
  readonly report: (error: unknown) => void;
}

export class FailureRules {
  readonly #options: FailureOptions;
  readonly #ports: FailureRulesPorts;

  constructor(options: FailureOptions, ports: FailureRulesPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  readonly classify: Classify = (error) => {
    const result = this.#callSafely("the classifier", () => this.#options.classify?.(error));
    if (isPending(result)) return { fallback: classifyError(error), result: result.then(validClass) };
    return validClass(result) ?? classifyError(error);
  };

  /** Applies the callbacks to an outcome; returns a promise only if a callback is asynchronous. */
  resolve(outcome: Outcome, context: FailedAttempt): Outcome | Promise<Outcome> {
    if (outcome.kind !== "failed") return outcome;
    const pending = pendingClass(outcome.failure);
    return pending === undefined ? this.#resolve(outcome, context) : this.#awaitClass(outcome, pending, context);
  }

  async #awaitClass(
    outcome: Outcome & { kind: "failed" },
    pending: Promise<FailureClass | undefined>,
    context: FailedAttempt,
  ): Promise<Outcome> {
    const result = await pending;
    const { failure } = outcome;
    return this.#resolve(
      result === undefined ? outcome : { kind: "failed", failure: { ...failure, class: result } },
      context,
    );
  }

  #resolve(outcome: Outcome & { kind: "failed" }, context: FailedAttempt): Outcome | Promise<Outcome> {
    const { resolve } = this.#options;
    const { failure } = outcome;
    if (failure.class === "cancelled" || resolve === undefined) return outcome;
    const result = this.#callSafely("the resolver", () => resolve(failure, context));
    return isPending(result)
      ? result.then((late) => this.#withResolution(outcome, late))
      : this.#withResolution(outcome, result);
  }

  /** Reading the callback's answer may throw. */
  #withResolution(outcome: Outcome & { kind: "failed" }, resolution: Resolution | undefined): Outcome {
    try {
      const failure = applyResolution(outcome.failure, resolution);
      return failure === undefined ? outcome : { kind: "failed", failure };
    } catch (error) {
      this.#report("the resolver", error);
      return outcome;
    }
  }

  /**
   * Returns the callback's answer, or a promise of it that never rejects; `undefined` if the answer cannot be used
   * (F1).
   */
  #callSafely<Answer>(
    name: string,
    callback: () => Answer | undefined | Promise<Answer | undefined>,
  ): Answer | undefined | Promise<Answer | undefined> {
    try {
      const result = callback();
      return isThenable(result) ? this.#awaitSafely(name, result) : result;
    } catch (error) {
      this.#report(name, error);
      return undefined;
    }
  }

  async #awaitSafely<Answer>(name: string, result: PromiseLike<Answer | undefined>): Promise<Answer | undefined> {
    try {
      return await this.#ports.limit.awaitResult(`${name} of failures`, result);
    } catch (error) {
      this.#report(name, error);
      return undefined;
    }
  }

  #report(name: string, error: unknown): void {
    const isOurs = error instanceof SegnoError && error.code === "CALLBACK_TIMEOUT";
    const message = `${name} of failures failed; its result is ignored`;
    this.#ports.report(isOurs ? error : new SegnoError("CALLBACK_FAILED", message, { cause: error }));
  }
}

function isPending<Answer>(result: Answer | Promise<Answer>): result is Promise<Answer> {
  return result instanceof Promise;
}

function validClass(result: FailureClass | undefined): FailureClass | undefined {
  return CLASSES.has(result) ? result : undefined;
}

/** Returns `undefined` if the resolution cannot be used (F1). */
function applyResolution(failure: Failure, resolution: Resolution | undefined): Failure | undefined {
  if (resolution === "fail") return { ...failure, class: "permanent" };
  if (resolution === "retry") return { ...failure, class: "transient" };
  const afterMs = resolution?.retryAfterMs;
  if (typeof afterMs !== "number" || Number.isNaN(afterMs)) return undefined;
  const retryAfter = durationMs(Math.min(RETRY_AFTER_MAX_MS, Math.max(0, Math.round(afterMs))));
  return { ...failure, class: "transient", retryAfter };
}
