// The timekeeper: whatever is to happen later: what executions wait for, and what the engine itself wants to do later.
//
//   T1. After `close` nothing is called any more, and whoever sleeps wakes at once: who wakes looks whether all is over.
//   T2. One wake-up an execution that is not in memory; it is forgotten when the execution comes in.
//   T3. Durations are on a wheel of the monotonic clock: a wall clock that is set moves none of them. Times that people wrote
//       are on a wheel of the wall clock.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Environment } from "./environment.ts";
import { TimerQueue, TimerEntry } from "./timer-queue.ts";
import type { WakeTime } from "./wake-time.ts";

class DelayedCall extends TimerEntry {
  readonly #call: () => void;

  constructor(call: () => void) {
    super();
    this.#call = call;
  }

  override onDue(): void {
    this.#call();
  }
}

/** An execution that is not in memory: it comes in when either clock shows its time. */
interface Wake {
  readonly time: WakeTime;
  readonly monotonic: DelayedCall;
  readonly wall: DelayedCall;
}

export class Timers {
  readonly #environment: Environment;
  /** For durations. */
  readonly monotonicTimers: TimerQueue;
  /** For times of the wall clock. */
  readonly wallTimers: TimerQueue;
  readonly #wakes = new Map<ExecutionId, Wake>();
  readonly #sleepers = new Set<() => void>();
  #alarmAt = Infinity;
  #wallAlarmAt = Infinity;
  #isClosed = false;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.monotonicTimers = new TimerQueue({
      now: () => environment.monotonic(),
      alarm: (at = Infinity) => this.#setAlarm((this.#alarmAt = at), this.#wallAlarmAt),
    });
    this.wallTimers = new TimerQueue({
      now: () => environment.now(),
      alarm: (at = Infinity) => this.#setAlarm(this.#alarmAt, (this.#wallAlarmAt = at)),
    });
  }

  get size(): number {
    return this.monotonicTimers.size + this.wallTimers.size;
  }

  /** Calls back later, once; never when it is closed by then, or when what it gives back was called. */
  after(ms: number, call: () => void): () => void {
    const entry = new DelayedCall(call);
    if (!this.#isClosed) this.monotonicTimers.set(entry, this.#in(ms));
    return () => this.monotonicTimers.drop(entry);
  }

  /** A call that can be moved on the monotonic clock: each time replaces the one before, nothing takes it back. */
  reschedulable(call: () => void): (at: number | undefined) => void {
    const entry = new DelayedCall(call);
    return (at) => {
      if (at === undefined || this.#isClosed) this.monotonicTimers.drop(entry);
      else this.monotonicTimers.set(entry, at);
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
  wake(id: ExecutionId, time: WakeTime, call: () => void): void {
    if (this.#isClosed) return;
    this.forgetWake(id);
    const ring = (): void => {
      this.#onWake(id);
      call();
    };
    const wake = { time, monotonic: new DelayedCall(ring), wall: new DelayedCall(ring) };
    this.#wakes.set(id, wake);
    if (time.monotonic !== Infinity) this.monotonicTimers.set(wake.monotonic, time.monotonic);
    if (time.wall !== Infinity) this.wallTimers.set(wake.wall, time.wall);
  }

  /** Calls for an execution again in a while; what is known about its times stays known. */
  wakeAgain(id: ExecutionId, inMs: number, call: () => void): void {
    const { recorded = [] } = this.wakeTime(id) ?? {};
    this.wake(id, { monotonic: this.#in(inMs), wall: Infinity, recorded }, call);
  }

  /** When an execution that is not in memory is due. It is known until `forgetWake`, because whoever loads it asks. */
  wakeTime(id: ExecutionId): WakeTime | undefined {
    return this.#wakes.get(id)?.time;
  }

  /** Whether an execution will be called for because of this recorded time, and is not due yet. */
  isAwaited(id: ExecutionId, recordedAt: EpochMs): boolean {
    const wake = this.#wakes.get(id);
    const isSet = wake?.monotonic.bucket !== undefined || wake?.wall.bucket !== undefined;
    return isSet && wake?.time.wakeAt === recordedAt;
  }

  forgetWake(id: ExecutionId): void {
    this.#drop(this.#wakes.get(id));
    this.#wakes.delete(id);
  }

  forgetWakes(): void {
    for (const id of this.#wakes.keys()) this.forgetWake(id);
  }

  close(): void {
    this.#isClosed = true;
    this.monotonicTimers.clear();
    this.wallTimers.clear();
    for (const wake of this.#sleepers) wake();
  }

  /** What tells nothing about times is not needed any more. */
  #onWake(id: ExecutionId): void {
    const wake = this.#wakes.get(id);
    this.#drop(wake);
    if (wake?.time.recorded.length === 0) this.#wakes.delete(id);
  }

  #drop(wake: Wake | undefined): void {
    if (wake === undefined) return;
    this.monotonicTimers.drop(wake.monotonic);
    this.wallTimers.drop(wake.wall);
  }

  #setAlarm(monotonic: number, wall: number): void {
    const due = monotonic === Infinity && wall === Infinity ? undefined : { monotonic, wall };
    this.#environment.alarm(due, () => this.#runDue());
  }

  #runDue(): void {
    this.monotonicTimers.runDue();
    this.wallTimers.runDue();
  }

  #in(ms: number): number {
    return this.#environment.monotonic() + ms;
  }
}
