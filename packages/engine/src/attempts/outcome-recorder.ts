// The outcome of an attempt as the journal may have it: with the files that the step keeps, after the user's failure callbacks, and masked.

import type { Outcome } from "@segno/kernel";
import type { FailureCallbacks } from "../runners/failure-callbacks.ts";
import { maskedOutcome } from "../secrets/masked-outcome.ts";
import type { Masker } from "../secrets/masker.ts";
import type { AttemptArtifacts } from "./attempt-artifacts.ts";
import type { StepAttempt } from "./step-attempt.ts";

export class OutcomeRecorder {
  readonly artifacts: AttemptArtifacts;
  readonly #callbacks: FailureCallbacks;
  readonly #masker: Masker;

  constructor(artifacts: AttemptArtifacts, callbacks: FailureCallbacks, masker: Masker) {
    this.artifacts = artifacts;
    this.#callbacks = callbacks;
    this.#masker = masker;
  }

  /** Not a promise for most attempts, so that they end in the same tick. */
  record(outcome: Outcome, attempt: StepAttempt): Outcome | Promise<Outcome> {
    const collected = this.artifacts.collect(outcome, attempt);
    return collected instanceof Promise
      ? collected.then((late) => this.#finish(late, attempt))
      : this.#finish(collected, attempt);
  }

  #finish(outcome: Outcome, attempt: StepAttempt): Outcome | Promise<Outcome> {
    const applied = this.#callbacks.applyCallbacks(outcome, attempt);
    if (!(applied instanceof Promise)) return maskedOutcome(applied, this.#masker);
    return applied.then((late) => maskedOutcome(late, this.#masker));
  }
}
