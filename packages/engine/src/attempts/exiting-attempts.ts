// Lingering attempts that will exit soon, because their runner terminates their processes, worker thread or socket.
//
//   EX1. The next attempt of a step waits until the previous one has exited, so that two attempts of a step never run at
//        once.
//   EX2. Every new attempt of an execution waits until the processes of attempts that were force-stopped in that execution
//        have exited: those of commands, and those that main-thread agents own. The kernel continues as soon as force is
//        used, and the step that it starts next, or the compensation, must not run beside processes that still write
//        (CANCEL-2). The wait is bounded (`terminate-tree.ts`).
//   EX3. No attempt waits for the code of a lingering main-thread agent: it cannot be terminated, and may never exit
//        (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class ExitingAttempts {
  /** By step (EX1). */
  readonly #attempts = new Map<string, StepAttempt>();
  /** The force-stopped attempts that have processes, by execution (EX2). */
  readonly #withProcesses = new Map<string, Set<StepAttempt>>();
  /** The starts that wait for an attempt to exit. */
  readonly #waitingStarts = new Map<StepAttempt, (() => void)[]>();

  /** Adds an attempt that has ended or was force-stopped, unless nothing of it exits soon. */
  add(attempt: StepAttempt): void {
    if (isExiting(attempt)) this.#attempts.set(stepKey(attempt), attempt);
  }

  addForceStopped(attempt: StepAttempt): void {
    this.add(attempt);
    if (!isExiting(attempt) || !hasProcesses(attempt)) return;
    const attempts = this.#withProcesses.get(attempt.execution);
    if (attempts === undefined) this.#withProcesses.set(attempt.execution, new Set([attempt]));
    else attempts.add(attempt);
    // The code of the agent may never exit (EX3).
    void attempt.handle?.processesExited?.then(() => this.onExited(attempt));
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /**
   * Returns false if the attempt may start; otherwise calls `start` when an attempt that it waits for has exited. There
   * may be others, so `start` has to ask again.
   */
  waitFor(attempt: StepAttempt, start: () => void): boolean {
    const [withProcesses] = this.#withProcesses.get(attempt.execution) ?? [];
    const exiting = this.#attempts.get(stepKey(attempt)) ?? withProcesses;
    if (exiting === undefined) return false;
    const starts = this.#waitingStarts.get(exiting);
    if (starts === undefined) this.#waitingStarts.set(exiting, [start]);
    else starts.push(start);
    return true;
  }

  /** The attempt has exited, or all that others wait for. */
  onExited(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = stepKey(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    this.#removeFromExecution(attempt);
    const starts = this.#waitingStarts.get(attempt) ?? [];
    this.#waitingStarts.delete(attempt);
    for (const start of starts) start();
  }

  #removeFromExecution(attempt: StepAttempt): void {
    const attempts = this.#withProcesses.get(attempt.execution);
    attempts?.delete(attempt);
    if (attempts?.size === 0) this.#withProcesses.delete(attempt.execution);
  }
}

function isExiting({ mainThreadAgent, handle, hasExited }: StepAttempt): boolean {
  if (handle === undefined || hasExited) return false;
  return mainThreadAgent === undefined || handle.processesExited !== undefined;
}

/** A main-thread agent that exits soon is one that owns processes. */
function hasProcesses({ action, mainThreadAgent }: StepAttempt): boolean {
  return action.kind === "run" || action.kind === "exec" || mainThreadAgent !== undefined;
}

function stepKey({ execution, stepIndex }: StepAttempt): string {
  return `${execution}/${stepIndex}`;
}
