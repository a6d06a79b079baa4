// Lingering attempts that will exit soon, because their runner terminates their processes, worker thread or socket.
//
//   EX1. The next attempt of a step waits until the previous one has exited, so that two attempts of a step never run at
//        once.
//   EX2. Every new attempt of an execution waits until the commands that were force-stopped in that execution have
//        exited. The kernel continues as soon as force is used, and the step that it starts next, or the compensation,
//        must not run beside processes that still write (CANCEL-2). The wait is bounded (`terminate-remaining.ts`).
//   EX3. No attempt waits for a lingering main-thread agent: it cannot be terminated, and may never exit (CANCEL-2).

import type { StepAttempt } from "./step-attempt.ts";

export class ExitingAttempts {
  /** By step (EX1). */
  readonly #attempts = new Map<string, StepAttempt>();
  /** The force-stopped commands, by execution (EX2). */
  readonly #commands = new Map<string, Set<StepAttempt>>();
  /** The starts that wait for an attempt to exit. */
  readonly #waitingStarts = new Map<StepAttempt, (() => void)[]>();

  /** Adds an attempt that has ended or was force-stopped, unless it has exited or runs a main-thread agent. */
  add(attempt: StepAttempt): void {
    if (isExiting(attempt)) this.#attempts.set(stepKey(attempt), attempt);
  }

  addForceStopped(attempt: StepAttempt): void {
    this.add(attempt);
    if (!isExiting(attempt) || !isCommand(attempt)) return;
    const commands = this.#commands.get(attempt.execution);
    if (commands === undefined) this.#commands.set(attempt.execution, new Set([attempt]));
    else commands.add(attempt);
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  /**
   * Returns false if the attempt may start; otherwise calls `start` when an attempt that it waits for has exited. There
   * may be others, so `start` has to ask again.
   */
  waitFor(attempt: StepAttempt, start: () => void): boolean {
    const [command] = this.#commands.get(attempt.execution) ?? [];
    const exiting = this.#attempts.get(stepKey(attempt)) ?? command;
    if (exiting === undefined) return false;
    const starts = this.#waitingStarts.get(exiting);
    if (starts === undefined) this.#waitingStarts.set(exiting, [start]);
    else starts.push(start);
    return true;
  }

  onExited(attempt: StepAttempt): void {
    if (this.isEmpty) return;
    const key = stepKey(attempt);
    if (this.#attempts.get(key) !== attempt) return;
    this.#attempts.delete(key);
    this.#removeCommand(attempt);
    const starts = this.#waitingStarts.get(attempt) ?? [];
    this.#waitingStarts.delete(attempt);
    for (const start of starts) start();
  }

  #removeCommand(attempt: StepAttempt): void {
    const commands = this.#commands.get(attempt.execution);
    commands?.delete(attempt);
    if (commands?.size === 0) this.#commands.delete(attempt.execution);
  }
}

function isExiting({ mainThreadAgent, handle, hasExited }: StepAttempt): boolean {
  return mainThreadAgent === undefined && handle !== undefined && !hasExited;
}

function isCommand({ action }: StepAttempt): boolean {
  return action.kind === "run" || action.kind === "exec";
}

function stepKey({ execution, stepIndex }: StepAttempt): string {
  return `${execution}/${stepIndex}`;
}
