// What a user says about failures (FAIL-7): what kind an error is, and what is to be done about a failed attempt.
//
//   F1. Whoever says nothing leaves it to the engine, and so does whoever throws: that is reported.
//   F2. The policy of the step has the last word: `retry` makes a failure worth another try, it does not add tries.
//   F3. What was cancelled stays cancelled.

import { classifyError, durationMs, type Failure, type FailureClass, type Outcome } from "@segno/kernel";

export interface FailureOptions {
  /** What kind of failure an error is; nothing leaves it to the engine (FAIL-1). */
  readonly classify?: (error: unknown) => FailureClass | undefined;
  /** What is to be done about a failed attempt; nothing leaves it to its class. */
  readonly resolve?: (failure: Failure, about: FailedAttempt) => Resolution | undefined;
}

export interface FailedAttempt {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly attempt: number;
}

export type Resolution = "retry" | "fail" | { readonly retryAfterMs: number };

/** A year: nobody means a longer time, and a journal could not say every one. */
const RETRY_AFTER_MAX_MS = 365 * 86_400_000;

const CLASSES: ReadonlySet<unknown> = new Set<FailureClass>(["transient", "permanent", "timeout", "cancelled"]);

export class FailureRules {
  readonly #options: FailureOptions;
  readonly #report: (error: unknown) => void;

  constructor(options: FailureOptions, report: (error: unknown) => void) {
    this.#options = options;
    this.#report = report;
  }

  readonly classify = (error: unknown): FailureClass => {
    const said = this.#asked(() => this.#options.classify?.(error));
    return said !== undefined && CLASSES.has(said) ? said : classifyError(error);
  };

  resolve(outcome: Outcome, about: FailedAttempt): Outcome {
    const { resolve } = this.#options;
    if (outcome.kind !== "failed" || outcome.failure.class === "cancelled" || resolve === undefined) return outcome;
    const { failure } = outcome;
    const changed = this.#asked(() => resolved(failure, resolve(failure, about)));
    return changed === undefined ? outcome : { kind: "failed", failure: changed };
  }

  #asked<Answer>(ask: () => Answer | undefined): Answer | undefined {
    try {
      return ask();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }
}

/** Nothing where nothing was said that could be heeded (F1). */
function resolved(failure: Failure, resolution: Resolution | undefined): Failure | undefined {
  if (resolution === "fail") return { ...failure, class: "permanent" };
  if (resolution === "retry") return { ...failure, class: "transient" };
  const afterMs = resolution?.retryAfterMs;
  if (typeof afterMs !== "number" || Number.isNaN(afterMs)) return undefined;
  const retryAfter = durationMs(Math.min(RETRY_AFTER_MAX_MS, Math.max(0, Math.round(afterMs))));
  return { ...failure, class: "transient", retryAfter };
}
