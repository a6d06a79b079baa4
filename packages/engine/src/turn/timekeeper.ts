// The timekeeper: whatever is to happen later, on one wheel. What executions wait for goes to their turns; what the engine
// itself wants later is called.
//
//   T1. After `close` nothing is called any more, and whoever sleeps wakes at once: who wakes looks whether all is over.
//   T2. One wake-up an execution that is not in memory; it is forgotten when the execution comes in.

import { epochMs, type EpochMs, type ExecutionId, type Timer } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { LiveExecution } from "./live-execution.ts";
import { StepAttempt } from "./step-attempt.ts";
import { TimerWheel, type WheelEntry } from "./timer-wheel.ts";
import type { TimerItem } from "./turn-loop.ts";

type Item = TimerItem | StepAttempt | { readonly call: () => void };

export type OnDue = (execution: LiveExecution, timer: Timer) => void;

export class Timekeeper {
  readonly #environment: Environment;
  readonly #onDue: OnDue;
  readonly #wheel: TimerWheel<Item>;
  readonly #wakes = new Map<ExecutionId, WheelEntry<Item>>();
  readonly #sleepers = new Set<() => void>();
  #isClosed = false;

  constructor(environment: Environment, onDue: OnDue) {
    this.#environment = environment;
    this.#onDue = onDue;
    this.#wheel = new TimerWheel<Item>(environment, (item) => this.#fire(item));
  }

  /** For timers of executions and deadlines of attempts. */
  get wheel(): TimerWheel<TimerItem> & TimerWheel<StepAttempt> {
    return this.#wheel as unknown as TimerWheel<TimerItem> & TimerWheel<StepAttempt>;
  }

  get size(): number {
    return this.#wheel.size;
  }

  /** Calls back later, once; never when it is closed by then. */
  after(ms: number, call: () => void): void {
    if (!this.#isClosed) this.#wheel.set(this.#in(ms), { call });
  }

  /** A call that can be moved: each time replaces the one before, nothing takes it back. */
  movable(call: () => void): (at: EpochMs | undefined) => void {
    let entry: WheelEntry<Item> | undefined;
    const fire = (): void => {
      entry = undefined;
      call();
    };
    return (at) => {
      if (entry !== undefined) this.#wheel.drop(entry);
      entry = at === undefined || this.#isClosed ? undefined : this.#wheel.set(at, { call: fire });
    };
  }

  sleep(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
      this.after(ms, wake);
    });
  }

  /** Calls back when an execution that is not in memory is due, unless it comes in before. */
  wake(id: ExecutionId, inMs: number, call: () => void): void {
    if (this.#isClosed) return;
    this.forgetWake(id);
    const fire = (): void => {
      this.#wakes.delete(id);
      call();
    };
    this.#wakes.set(id, this.#wheel.set(this.#in(inMs), { call: fire }));
  }

  forgetWake(id: ExecutionId): void {
    const entry = this.#wakes.get(id);
    this.#wakes.delete(id);
    if (entry !== undefined) this.#wheel.drop(entry);
  }

  forgetWakes(): void {
    for (const id of this.#wakes.keys()) this.forgetWake(id);
  }

  close(): void {
    this.#isClosed = true;
    this.#wheel.clear();
    for (const wake of this.#sleepers) wake();
  }

  #in(ms: number): EpochMs {
    return epochMs(this.#environment.now() + ms);
  }

  #fire(item: Item): void {
    if (item instanceof StepAttempt)
      return this.#onDue(item.owner, { kind: "attempt-deadline", step: item.place, epoch: item.epoch });
    if ("call" in item) item.call();
    else this.#onDue(item.execution, item.timer);
  }
}
