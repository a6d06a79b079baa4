// The timekeeper: whatever is to happen later, on one wheel: what executions wait for, and what the engine itself wants to
// do later.
//
//   T1. After `close` nothing is called any more, and whoever sleeps wakes at once: who wakes looks whether all is over.
//   T2. One wake-up an execution that is not in memory; it is forgotten when the execution comes in.

import { epochMs, type EpochMs, type ExecutionId } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import { TimerWheel, WheelEntry } from "./timer-wheel.ts";

class LaterCall extends WheelEntry {
  readonly #call: () => void;

  constructor(call: () => void) {
    super();
    this.#call = call;
  }

  override ring(): void {
    this.#call();
  }
}

export class Timekeeper {
  readonly #environment: Environment;
  /** For timers of executions and deadlines of attempts. */
  readonly wheel: TimerWheel;
  readonly #wakes = new Map<ExecutionId, LaterCall>();
  readonly #sleepers = new Set<() => void>();
  #isClosed = false;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.wheel = new TimerWheel(environment);
  }

  get size(): number {
    return this.wheel.size;
  }

  /** Calls back later, once; never when it is closed by then, or when what it gives back was called. */
  after(ms: number, call: () => void): () => void {
    const entry = new LaterCall(call);
    if (!this.#isClosed) this.wheel.set(entry, this.#in(ms));
    return () => this.wheel.drop(entry);
  }

  /** A call that can be moved: each time replaces the one before, nothing takes it back. */
  movable(call: () => void): (at: EpochMs | undefined) => void {
    const entry = new LaterCall(call);
    return (at) => {
      if (at === undefined || this.#isClosed) this.wheel.drop(entry);
      else this.wheel.set(entry, at);
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
    const entry = new LaterCall(() => {
      this.#wakes.delete(id);
      call();
    });
    this.#wakes.set(id, entry);
    this.wheel.set(entry, this.#in(inMs));
  }

  forgetWake(id: ExecutionId): void {
    const entry = this.#wakes.get(id);
    this.#wakes.delete(id);
    if (entry !== undefined) this.wheel.drop(entry);
  }

  forgetWakes(): void {
    for (const id of this.#wakes.keys()) this.forgetWake(id);
  }

  close(): void {
    this.#isClosed = true;
    this.wheel.clear();
    for (const wake of this.#sleepers) wake();
  }

  #in(ms: number): EpochMs {
    return epochMs(this.#environment.now() + ms);
  }
}
