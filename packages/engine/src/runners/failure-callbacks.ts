// The user's callbacks for failures (FAIL-7): `classify` sets the failure class of an error, `resolve` decides what to do
// about a failed attempt.
//
//   FC1. A callback that returns `undefined` leaves the decision to the engine. A callback that throws, rejects, times
//        out or returns an invalid value is reported, and the engine decides.
//   FC2. The callbacks do not override the step's retry policy: `retry` makes a failure retryable, but adds no attempts.
//   FC3. A cancelled attempt stays cancelled.

import { segnoCode } from "../checks/segno-code.ts";
import { classifyError, durationMs, SegnoError, type Failure, type FailureClass, type Outcome } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { quoteText } from "@segno/kernel/describe-value";
import { isThenable } from "../checks/thenable.ts";
import { pendingFailureClass, type Classify } from "./attempt-outcome.ts";

/** Callbacks that decide about failed attempts. */
export interface FailureOptions {
  /** Returns the failure class of an error; `undefined` leaves it to the engine (FAIL-1). */
  readonly classify?: (error: unknown) => FailureClass | undefined | Promise<FailureClass | undefined>;
  /** Decides what to do about a failed attempt; `undefined` leaves it to the failure class. */
  readonly resolve?: (
    failure: Failure,
    context: FailedAttempt,
  ) => Resolution | undefined | Promise<Resolution | undefined>;
}

/** The attempt whose failure is to be resolved. */
export interface FailedAttempt {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly attempt: number;
}

/** The decision about a failed attempt: retry it, after a delay if one is given, or fail the step. */
export type Resolution = "retry" | "fail" | { readonly retryAfterMs: number };

/** One year: longer values are surely mistakes, and not all of them could be recorded. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000;

const FAILURE_CLASSES: ReadonlySet<unknown> = new Set<FailureClass>(["transient", "permanent", "timeout", "cancelled"]);

/** Errors of the callback limit itself: the callback did not answer in time, or before the engine closed. */
const LIMIT_CODES: ReadonlySet<string> = new Set(["CALLBACK_TIMEOUT", "ENGINE_CLOSED"]);

export interface FailureCallbacksPorts {
  readonly callbackLimit: Pick<CallbackLimit, "awaitResult">;
  readonly report: (error: unknown) => void;
  readonly maskText: (text: string) => string;
}

export class FailureCallbacks {
  readonly #options: FailureOptions;
  readonly #ports: FailureCallbacksPorts;

  constructor(options: FailureOptions, ports: FailureCallbacksPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  readonly classify: Classify = (error) => {
    const result = this.#callSafely("the classifier", () => this.#options.classify?.(error));
    if (!isPending(result)) return this.#validFailureClass(result) ?? classifyError(error);
    return { fallback: classifyError(error), result: result.then((late) => this.#validFailureClass(late)) };
  };

  #validFailureClass(result: FailureClass | undefined): FailureClass | undefined {
    if (result === undefined || FAILURE_CLASSES.has(result)) return result;
    this.#reportInvalid("the classifier", result);
    return undefined;
  }

  /** Applies the callbacks to an outcome; returns a promise only if a callback is asynchronous. */
  applyCallbacks(outcome: Outcome, context: FailedAttempt): Outcome | Promise<Outcome> {
    if (outcome.kind !== "failed") return outcome;
    const pending = pendingFailureClass(outcome.failure);
    return pending === undefined ? this.#resolve(outcome, context) : this.#awaitFailureClass(outcome, pending, context);
  }

  async #awaitFailureClass(
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
    if (resolution === undefined) return outcome;
    try {
      const failure = applyResolution(outcome.failure, resolution);
      if (failure !== undefined) return { kind: "failed", failure };
      this.#reportInvalid("the resolver", resolution);
    } catch (error) {
      this.#report("the resolver", error);
    }
    return outcome;
  }

  /**
   * Returns the callback's answer, or a promise of it that never rejects; `undefined` if the answer cannot be used
   * (FC1).
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
      return await this.#ports.callbackLimit.awaitResult(`${name} of failures`, result);
    } catch (error) {
      this.#report(name, error);
      return undefined;
    }
  }

  #report(name: string, error: unknown): void {
    const message = `${name} of failures failed; its result is ignored`;
    this.#ports.report(
      LIMIT_CODES.has(segnoCode(error) ?? "") ? error : new SegnoError("CALLBACK_FAILED", message, { cause: error }),
    );
  }

  #reportInvalid(name: string, result: unknown): void {
    const found =
      typeof result === "string" ? quoteText(this.#ports.maskText(result)) : `a value of the type ${typeof result}`;
    const message = `${name} of failures returned ${found}, which is not valid; its result is ignored`;
    this.#ports.report(new SegnoError("CALLBACK_FAILED", message));
  }
}

function isPending<Answer>(result: Answer | Promise<Answer>): result is Promise<Answer> {
  return result instanceof Promise;
}

/** Returns `undefined` if the resolution is invalid (FC1). JavaScript callers may return any value, even null. */
function applyResolution(failure: Failure, resolution: Resolution | null): Failure | undefined {
  if (resolution === "fail") return { ...failure, class: "permanent" };
  if (resolution === "retry") return { ...failure, class: "transient" };
  const retryAfterMs = resolution?.retryAfterMs;
  if (typeof retryAfterMs !== "number" || Number.isNaN(retryAfterMs)) return undefined;
  const retryAfter = durationMs(Math.min(RETRY_AFTER_MAX_MS, Math.max(0, Math.round(retryAfterMs))));
  return { ...failure, class: "transient", retryAfter };
}
