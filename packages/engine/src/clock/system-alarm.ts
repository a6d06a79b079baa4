// The single alarm of a process, on a system timer.
//
//   A1. It fires when either clock shows its time, never before.
//   A2. The timer counts only monotonic time. While the alarm has a wall-clock time, the clocks are read every second,
//       to notice a clock that was set; otherwise once a minute, to notice a suspension.
//   A3. A Node.js timer may fire up to a millisecond early, because it counts from the last time that the event loop
//       read the clock. Another timer would make the alarm a millisecond late, so the event loop spins until the time
//       has come. Timers take whole milliseconds, and rounding a small fraction up would be late as well.

import type { AlarmTime } from "./environment.ts";
import type { SystemClocks } from "./system-clocks.ts";

const WALL_CHECK_MS = 1000;
const SUSPENSION_CHECK_MS = 60_000;
/** The final part of the delay that is not left to a timer. */
const MOMENT_MS = 0.3;

export class SystemAlarm {
  readonly #clocks: SystemClocks;
  #timer: NodeJS.Timeout | undefined;
  #moment: NodeJS.Immediate | undefined;
  #isRef = true;

  constructor(clocks: SystemClocks) {
    this.#clocks = clocks;
  }

  set(due: AlarmTime | undefined, ring: () => void): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#moment);
    this.#moment = undefined;
    this.#timer = due === undefined ? undefined : this.#timerFor(due, ring);
  }

  /** Whether a pending alarm keeps the process alive. */
  keepAlive(isRef: boolean): void {
    this.#isRef = isRef;
    for (const pending of [this.#timer, this.#moment])
      if (isRef) pending?.ref();
      else pending?.unref();
  }

  #timerFor(due: AlarmTime, ring: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => this.#check(due, ring), this.#waitMs(due));
    if (!this.#isRef) timer.unref();
    return timer;
  }

  #check(due: AlarmTime, ring: () => void): void {
    this.#clocks.noticeSuspension();
    const remainingMs = this.#remainingMs(due);
    if (remainingMs >= 1) return this.set(due, ring);
    this.#timer = undefined;
    this.#moment = remainingMs > 0 ? this.#momentFor(due, ring) : undefined;
    if (remainingMs <= 0) ring();
  }

  #momentFor(due: AlarmTime, ring: () => void): NodeJS.Immediate {
    const moment = setImmediate(() => this.#check(due, ring));
    if (!this.#isRef) moment.unref();
    return moment;
  }

  #waitMs(due: AlarmTime): number {
    const checkMs = due.wall === Infinity ? SUSPENSION_CHECK_MS : WALL_CHECK_MS;
    return Math.max(0, Math.min(Math.ceil(this.#remainingMs(due) - MOMENT_MS), checkMs));
  }

  #remainingMs({ monotonic, wall }: AlarmTime): number {
    return Math.min(monotonic - this.#clocks.monotonic(), wall - this.#clocks.wall());
  }
}
