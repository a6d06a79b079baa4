// Attempts that are over for their execution and of which something still runs: a process that is being killed, a thread that
// is being terminated. The next attempt of the same step waits until nothing of them is left, so that two never run at once.
//
// A function that was given up is not waited for: nobody can end it, and it may never settle (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class Lingering {
  readonly #attempts = new Map<string, StepAttempt>();
  readonly #waiting = new Map<StepAttempt, () => void>();

  /** Something of it may still run. */
  add(attempt: StepAttempt): void {
    if (attempt.own === undefined && attempt.running !== undefined && !attempt.isSettled)
      this.#attempts.set(keyOf(attempt), attempt);
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /** False when nothing of an attempt before this one is left; otherwise `go` is called when that is so. */
  holdUp(attempt: StepAttempt, go: () => void): boolean {
    const before = this.#attempts.get(keyOf(attempt));
    if (before === undefined) return false;
    this.#waiting.set(before, go);
    return true;
  }

  settled(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = keyOf(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    const go = this.#waiting.get(attempt);
    this.#waiting.delete(attempt);
    go?.();
  }
}

function keyOf({ execution, place }: StepAttempt): string {
  return `${execution}/${place}`;
}
