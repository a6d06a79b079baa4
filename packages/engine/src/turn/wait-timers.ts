// The times that executions wait for, on the wheel.

import type { EpochMs, WaitTimer } from "@segno/kernel";
import type { LiveExecution } from "./live-execution.ts";
import { WheelEntry, type TimerWheel } from "./timer-wheel.ts";

export type OnDue = (execution: LiveExecution, timer: WaitTimer) => void;

class WaitEntry extends WheelEntry {
  readonly #onDue: OnDue;
  readonly #execution: LiveExecution;
  readonly #timer: WaitTimer;

  constructor(onDue: OnDue, execution: LiveExecution, timer: WaitTimer) {
    super();
    this.#onDue = onDue;
    this.#execution = execution;
    this.#timer = timer;
  }

  override ring(): void {
    this.#onDue(this.#execution, this.#timer);
  }
}

export class WaitTimers {
  readonly #wheel: TimerWheel;
  readonly #onDue: OnDue;

  constructor(wheel: TimerWheel, onDue: OnDue) {
    this.#wheel = wheel;
    this.#onDue = onDue;
  }

  set(execution: LiveExecution, timer: WaitTimer, dueAt: EpochMs): void {
    this.drop(execution, timer);
    const entry = new WaitEntry(this.#onDue, execution, timer);
    execution.timers.set(keyOf(timer), entry);
    this.#wheel.set(entry, dueAt);
  }

  drop({ timers }: LiveExecution, timer: WaitTimer): void {
    const entry = timers.get(keyOf(timer));
    if (entry === undefined) return;
    timers.delete(keyOf(timer));
    this.#wheel.drop(entry);
  }

  dropAll({ timers }: LiveExecution): void {
    for (const entry of timers.values()) this.#wheel.drop(entry);
    timers.clear();
  }
}

/** One timer of a kind and a step at a time: three keys a step, those of the execution itself below zero. */
function keyOf(timer: WaitTimer): number {
  switch (timer.kind) {
    case "execution-deadline":
      return -1;
    case "force":
      return -2;
    case "backoff":
      return timer.step * 3;
    case "wait":
      return timer.step * 3 + 1;
    case "scope-deadline":
      return timer.step * 3 + 2;
  }
}
