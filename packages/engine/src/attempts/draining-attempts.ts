// Attempts that are over for their execution and of which something still runs: a process that is being killed, a thread that
// is being terminated. The next attempt of the same step waits until nothing of them is left, so that two never run at once.
//
// A function that was given up is not waited for: nobody can end it, and it may never settle (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class DrainingAttempts {
  readonly #attempts = new Map<string, StepAttempt>();
  readonly #pending = new Map<StepAttempt, () => void>();

  /** Something of it may still run. */
  add(attempt: StepAttempt): void {
    if (attempt.localAgent === undefined && attempt.running !== undefined && !attempt.hasExited)
      this.#attempts.set(stepKey(attempt), attempt);
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /** False when nothing of an attempt before this one is left; otherwise `go` is called when that is so. */
  waitFor(attempt: StepAttempt, go: () => void): boolean {
    const before = this.#attempts.get(stepKey(attempt));
    if (before === undefined) return false;
    this.#pending.set(before, go);
    return true;
  }

  onExited(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = stepKey(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    const go = this.#pending.get(attempt);
    this.#pending.delete(attempt);
    go?.();
  }
}

function stepKey({ execution, stepIndex }: StepAttempt): string {
  return `${execution}/${stepIndex}`;
}
