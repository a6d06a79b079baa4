// One timer of an execution, as an entry of a timer queue.

import { isAbsoluteTime, type EpochMs, type State, type NonAttemptTimer } from "@segno/kernel";
import { TimerEntry } from "../clock/timer-queue.ts";

export type OnDue<Execution> = (execution: Execution, timer: NonAttemptTimer, notBefore: EpochMs | undefined) => void;

export class ExecutionTimer<Execution extends { readonly state: State }> extends TimerEntry {
  readonly #onDue: OnDue<Execution>;
  readonly #execution: Execution;
  readonly #timer: NonAttemptTimer;
  /** When the timer is due according to the journal, which has wall-clock times. */
  readonly journalDueAt: EpochMs;
  readonly isOnWallClock: boolean;

  constructor(onDue: OnDue<Execution>, execution: Execution, timer: NonAttemptTimer, journalDueAt: EpochMs) {
    super();
    this.#onDue = onDue;
    this.#execution = execution;
    this.#timer = timer;
    this.journalDueAt = journalDueAt;
    this.isOnWallClock = isAbsoluteTime(execution.state, timer);
  }

  /** Whether the entry was armed for this timer and time, not for an earlier timer of the same kind. */
  isFor(timer: NonAttemptTimer, journalDueAt: EpochMs): boolean {
    return journalDueAt === this.journalDueAt && timerEpoch(timer) === timerEpoch(this.#timer);
  }

  override onDue(): void {
    this.#onDue(this.#execution, this.#timer, this.isOnWallClock ? undefined : this.journalDueAt);
  }
}

function timerEpoch(timer: NonAttemptTimer): number {
  return "epoch" in timer ? timer.epoch : 0;
}
