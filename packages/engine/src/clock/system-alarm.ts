// The one alarm of a process, on a timer of the system.
//
//   A1. It rings when either clock shows its time, never before.
//   A2. The timer counts monotonic time only. While a wall-clock time is waited for, the clocks are read every second, so
//       that a clock that was set is noticed; otherwise once a minute, so that a suspension is.

import type { AlarmTime } from "./environment.ts";
import type { SystemClocks } from "./system-clocks.ts";

const WALL_CHECK_MS = 1000;
const SUSPENSION_CHECK_MS = 60_000;

export class SystemAlarm {
  readonly #clocks: SystemClocks;
  #timer: NodeJS.Timeout | undefined;
  #isRef = true;

  constructor(clocks: SystemClocks) {
    this.#clocks = clocks;
  }

  set(due: AlarmTime | undefined, ring: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = due === undefined ? undefined : this.#timerFor(due, ring);
  }

  /** Whether a pending alarm keeps the process alive. */
  keepAlive(isRef: boolean): void {
    this.#isRef = isRef;
    if (isRef) this.#timer?.ref();
    else this.#timer?.unref();
  }

  #timerFor(due: AlarmTime, ring: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => this.#check(due, ring), this.#waitMs(due));
    if (!this.#isRef) timer.unref();
    return timer;
  }

  #check(due: AlarmTime, ring: () => void): void {
    this.#clocks.noticeSuspension();
    if (this.#remainingMs(due) > 0) return this.set(due, ring);
    this.#timer = undefined;
    ring();
  }

  #waitMs(due: AlarmTime): number {
    const checkMs = due.wall === Infinity ? SUSPENSION_CHECK_MS : WALL_CHECK_MS;
    return Math.max(0, Math.min(Math.ceil(this.#remainingMs(due)), checkMs));
  }

  #remainingMs({ monotonic, wall }: AlarmTime): number {
    return Math.min(monotonic - this.#clocks.monotonic(), wall - this.#clocks.wall());
  }
}
