// What a user says about failures (FAIL-7): what kind an error is, and what is to be done about a failed attempt.
//
//   F1. Whoever says nothing leaves it to the engine, and so does whoever throws, rejects or does not answer in time: that is
//       reported.
//   F2. The policy of the step has the last word: `retry` makes a failure worth another try, it does not add tries.
//   F3. What was cancelled stays cancelled.

import { classifyError, durationMs, SegnoError, type Failure, type FailureClass, type Outcome } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { isThenable } from "../checks/thenable.ts";
import { pendingClass, type Classify } from "./function-outcome.ts";

export interface FailureOptions {
  /** What kind of failure an error is; nothing leaves it to the engine (FAIL-1). */
  readonly classify?: (error: unknown) => FailureClass | undefined | Promise<FailureClass | undefined>;
  /** What is to be done about a failed attempt; nothing leaves it to its class. */
  readonly resolve?: (
    failure: Failure,
    about: FailedAttempt,
  ) => Resolution | undefined | Promise<Resolution | undefined>;
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

export interface FailureRulesPorts {
  readonly limit: Pick<CallbackLimit, "awaitAnswer">;
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
    const said = this.#callSafely("the classifier", () => this.#options.classify?.(error));
    if (isPending(said)) return { meanwhile: classifyError(error), said: said.then(knownClass) };
    return knownClass(said) ?? classifyError(error);
  };

  /** The outcome that counts; a promise of it where somebody takes time to say. */
  resolve(outcome: Outcome, about: FailedAttempt): Outcome | Promise<Outcome> {
    if (outcome.kind !== "failed") return outcome;
    const pending = pendingClass(outcome.failure);
    return pending === undefined ? this.#resolve(outcome, about) : this.#awaitClass(outcome, pending, about);
  }

  async #awaitClass(
    outcome: Outcome & { kind: "failed" },
    pending: Promise<FailureClass | undefined>,
    about: FailedAttempt,
  ): Promise<Outcome> {
    const said = await pending;
    const { failure } = outcome;
    return this.#resolve(
      said === undefined ? outcome : { kind: "failed", failure: { ...failure, class: said } },
      about,
    );
  }

  #resolve(outcome: Outcome & { kind: "failed" }, about: FailedAttempt): Outcome | Promise<Outcome> {
    const { resolve } = this.#options;
    const { failure } = outcome;
    if (failure.class === "cancelled" || resolve === undefined) return outcome;
    const said = this.#callSafely("the resolver", () => resolve(failure, about));
    return isPending(said)
      ? said.then((late) => this.#withResolution(outcome, late))
      : this.#withResolution(outcome, said);
  }

  /** What was said may throw when it is looked at. */
  #withResolution(outcome: Outcome & { kind: "failed" }, resolution: Resolution | undefined): Outcome {
    try {
      const failure = applyResolution(outcome.failure, resolution);
      return failure === undefined ? outcome : { kind: "failed", failure };
    } catch (error) {
      this.#report("the resolver", error);
      return outcome;
    }
  }

  /** What was said, or a promise of it that never rejects; nothing where nothing can be heeded (F1). */
  #callSafely<Answer>(
    who: string,
    ask: () => Answer | undefined | Promise<Answer | undefined>,
  ): Answer | undefined | Promise<Answer | undefined> {
    try {
      const said = ask();
      return isThenable(said) ? this.#awaitSafely(who, said) : said;
    } catch (error) {
      this.#report(who, error);
      return undefined;
    }
  }

  async #awaitSafely<Answer>(who: string, said: PromiseLike<Answer | undefined>): Promise<Answer | undefined> {
    try {
      return await this.#ports.limit.awaitAnswer(`${who} of failures`, said);
    } catch (error) {
      this.#report(who, error);
      return undefined;
    }
  }

  #report(who: string, error: unknown): void {
    const isOurs = error instanceof SegnoError && error.code === "CALLBACK_TIMEOUT";
    const message = `${who} of failures failed, so the failure counts as it would without it`;
    this.#ports.report(isOurs ? error : new SegnoError("CALLBACK_FAILED", message, { cause: error }));
  }
}

function isPending<Answer>(said: Answer | Promise<Answer>): said is Promise<Answer> {
  return said instanceof Promise;
}

function knownClass(said: FailureClass | undefined): FailureClass | undefined {
  return CLASSES.has(said) ? said : undefined;
}

/** Nothing where nothing was said that could be heeded (F1). */
function applyResolution(failure: Failure, resolution: Resolution | undefined): Failure | undefined {
  if (resolution === "fail") return { ...failure, class: "permanent" };
  if (resolution === "retry") return { ...failure, class: "transient" };
  const afterMs = resolution?.retryAfterMs;
  if (typeof afterMs !== "number" || Number.isNaN(afterMs)) return undefined;
  const retryAfter = durationMs(Math.min(RETRY_AFTER_MAX_MS, Math.max(0, Math.round(afterMs))));
  return { ...failure, class: "transient", retryAfter };
}
