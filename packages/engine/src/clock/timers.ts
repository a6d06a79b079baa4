// All timers of the engine: those of executions, and delays of the engine itself.
//
//   T1. After `close` no callback runs, and all sleepers wake at once; they check whether the engine is closed.
//   T2. An execution that is not in memory has at most one wake-up; it is removed when the execution is loaded.
//   T3. Durations are on a timer queue of the monotonic clock, so setting the wall clock does not move them. Absolute
//       times, such as `wait until` a date, are on a timer queue of the wall clock.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { SystemPorts } from "./system-ports.ts";
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

/** The wake-up of an execution that is not in memory; either clock triggers it. */
interface Wake {
  readonly time: WakeTime;
  readonly monotonic: DelayedCall;
  readonly wall: DelayedCall;
}

export class Timers {
  readonly #environment: SystemPorts;
  /** For durations. */
  readonly monotonicTimers: TimerQueue;
  /** For wall-clock times. */
  readonly wallTimers: TimerQueue;
  readonly #wakes = new Map<ExecutionId, Wake>();
  readonly #sleepers = new Set<() => void>();
  #alarmAt = Infinity;
  #wallAlarmAt = Infinity;
  #isClosed = false;

  constructor(environment: SystemPorts) {
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

  /** Calls back once after the delay, unless the timers are closed or the returned function was called before. */
  after(ms: number, call: () => void): () => void {
    const entry = new DelayedCall(call);
    if (!this.#isClosed) this.monotonicTimers.set(entry, this.#monotonicAfter(ms));
    return () => this.monotonicTimers.drop(entry);
  }

  /**
   * Returns a function that schedules `call` on the monotonic clock. Every time replaces the previous one; `undefined`
   * cancels it.
   */
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

  /** Calls back when an execution that is not in memory is due, unless it is loaded before. */
  setWakeTimer(id: ExecutionId, time: WakeTime, call: () => void): void {
    if (this.#isClosed) return;
    this.clearWakeTimer(id);
    const fire = (): void => {
      this.#onWake(id);
      call();
    };
    const wake = { time, monotonic: new DelayedCall(fire), wall: new DelayedCall(fire) };
    this.#wakes.set(id, wake);
    if (time.monotonic !== Infinity) this.monotonicTimers.set(wake.monotonic, time.monotonic);
    if (time.wall !== Infinity) this.wallTimers.set(wake.wall, time.wall);
  }

  /** Schedules another wake-up after a delay and keeps the known times of the execution. */
  setWakeTimerAfter(id: ExecutionId, inMs: number, call: () => void): void {
    const { recorded = [] } = this.wakeTime(id) ?? {};
    this.setWakeTimer(id, { monotonic: this.#monotonicAfter(inMs), wall: Infinity, recorded }, call);
  }

  /** When an execution that is not in memory is due. Kept until `clearWakeTimer`, because the loader needs it. */
  wakeTime(id: ExecutionId): WakeTime | undefined {
    return this.#wakes.get(id)?.time;
  }

  /** Whether a wake-up for this recorded time is armed and not yet due. */
  isWakeTimerSet(id: ExecutionId, recordedAt: EpochMs): boolean {
    const wake = this.#wakes.get(id);
    const isSet = wake?.monotonic.isArmed === true || wake?.wall.isArmed === true;
    return isSet && wake?.time.wakeAt === recordedAt;
  }

  clearWakeTimer(id: ExecutionId): void {
    this.#disarm(this.#wakes.get(id));
    this.#wakes.delete(id);
  }

  clearWakeTimers(): void {
    for (const id of this.#wakes.keys()) this.clearWakeTimer(id);
  }

  close(): void {
    this.#isClosed = true;
    this.monotonicTimers.clear();
    this.wallTimers.clear();
    for (const wake of this.#sleepers) wake();
  }

  /** A wake-up without recorded times is not needed after it fired. */
  #onWake(id: ExecutionId): void {
    const wake = this.#wakes.get(id);
    this.#disarm(wake);
    if (wake?.time.recorded.length === 0) this.#wakes.delete(id);
  }

  #disarm(wake: Wake | undefined): void {
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

  #monotonicAfter(ms: number): number {
    return this.#environment.monotonic() + ms;
  }
}
