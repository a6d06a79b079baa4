// Attempts that have ended for their execution while parts of them still run: a process that is being killed, a thread
// that is being terminated. The next attempt of the same step waits for them, so that two never run at once.
//
// An abandoned function is not waited for: it cannot be ended and may never settle (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class DrainingAttempts {
  readonly #attempts = new Map<string, StepAttempt>();
  readonly #pending = new Map<StepAttempt, () => void>();

  /** Adds the attempt if parts of it may still run. */
  add(attempt: StepAttempt): void {
    if (attempt.mainThreadAgent === undefined && attempt.running !== undefined && !attempt.hasExited)
      this.#attempts.set(stepKey(attempt), attempt);
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /** Returns false if no part of a previous attempt runs; otherwise calls `start` when none does. */
  waitFor(attempt: StepAttempt, start: () => void): boolean {
    const previous = this.#attempts.get(stepKey(attempt));
    if (previous === undefined) return false;
    this.#pending.set(previous, start);
    return true;
  }

  onExited(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = stepKey(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    const start = this.#pending.get(attempt);
    this.#pending.delete(attempt);
    start?.();
  }
}

function stepKey({ execution, stepIndex }: StepAttempt): string {
  return `${execution}/${stepIndex}`;
}
