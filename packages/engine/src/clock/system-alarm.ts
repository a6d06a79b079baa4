// The single alarm of a process, on a system timer.
//
//   A1. It fires when either clock shows its time, never before.
//   A2. The timer counts only monotonic time. While the alarm has a wall-clock time, the clocks are read every second,
//       to notice a clock that was set; otherwise once a minute, to notice a suspension.
//   A3. A Node.js timer takes whole milliseconds, and fires up to a millisecond early or late, because it counts from
//       the last time that the event loop read the clock. So a timer is set for the time up to the last millisecond; in
//       that millisecond the event loop spins until the time has come.

import type { AlarmTime } from "./system-ports.ts";
import type { SystemClocks } from "./system-clocks.ts";

const WALL_CHECK_MS = 1000;
const SUSPENSION_CHECK_MS = 60_000;
/** The final part of the delay that is not left to a timer. */
const SPIN_MS = 1;

export class SystemAlarm {
  readonly #clocks: SystemClocks;
  #timer: NodeJS.Timeout | undefined;
  #spin: NodeJS.Immediate | undefined;
  #isRef = true;

  constructor(clocks: SystemClocks) {
    this.#clocks = clocks;
  }

  set(due: AlarmTime | undefined, ring: () => void): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#spin);
    this.#timer = undefined;
    this.#spin = undefined;
    if (due === undefined) return;
    // Node.js waits a millisecond where a timer is set for less.
    if (this.#remainingMs(due) <= SPIN_MS) this.#spin = this.#spinUntil(due, ring);
    else this.#timer = this.#timerFor(due, ring);
  }

  /** Whether a pending alarm keeps the process alive. */
  keepAlive(isRef: boolean): void {
    this.#isRef = isRef;
    for (const pending of [this.#timer, this.#spin])
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
    if (remainingMs > SPIN_MS) return this.set(due, ring);
    this.#timer = undefined;
    this.#spin = remainingMs > 0 ? this.#spinUntil(due, ring) : undefined;
    if (remainingMs <= 0) ring();
  }

  #spinUntil(due: AlarmTime, ring: () => void): NodeJS.Immediate {
    const immediate = setImmediate(() => this.#check(due, ring));
    if (!this.#isRef) immediate.unref();
    return immediate;
  }

  #waitMs(due: AlarmTime): number {
    const checkMs = due.wall === Infinity ? SUSPENSION_CHECK_MS : WALL_CHECK_MS;
    return Math.max(0, Math.min(Math.ceil(this.#remainingMs(due) - SPIN_MS), checkMs));
  }

  #remainingMs({ monotonic, wall }: AlarmTime): number {
    return Math.min(monotonic - this.#clocks.monotonic(), wall - this.#clocks.wall());
  }
}
