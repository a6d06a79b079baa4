// Lingering attempts that will exit soon, because their runner terminates their processes, worker thread or socket. The
// next attempt of the same step waits until they have exited, so that two attempts of a step never run at once.
//
// No attempt waits for a lingering main-thread agent: it cannot be terminated, and may never exit (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class ExitingAttempts {
  readonly #attempts = new Map<string, StepAttempt>();
  /** Starts the next attempt of the step, by exiting attempt. */
  readonly #nextStarts = new Map<StepAttempt, () => void>();

  /** Adds an attempt that has ended or was force-stopped, unless it has exited or runs a main-thread agent. */
  add(attempt: StepAttempt): void {
    if (attempt.mainThreadAgent === undefined && attempt.running !== undefined && !attempt.hasExited)
      this.#attempts.set(stepKey(attempt), attempt);
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /** Returns false if the previous attempt of the step has exited; otherwise calls `start` when it has. */
  waitFor(attempt: StepAttempt, start: () => void): boolean {
    const previous = this.#attempts.get(stepKey(attempt));
    if (previous === undefined) return false;
    this.#nextStarts.set(previous, start);
    return true;
  }

  onExited(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = stepKey(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    const start = this.#nextStarts.get(attempt);
    this.#nextStarts.delete(attempt);
    start?.();
  }
}

function stepKey({ execution, stepIndex }: StepAttempt): string {
  return `${execution}/${stepIndex}`;
}
