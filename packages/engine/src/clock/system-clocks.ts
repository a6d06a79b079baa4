// The clocks of the system, combined.
//
// The monotonic clock of most systems stops while the machine is suspended. A durable wait of a day must not take a
// week on a laptop, so suspended time is added. Only the time since boot distinguishes a suspension from a wall clock
// that was set. Reading it is slow, so it is read only when the wall clock and the monotonic clock have diverged.

import { uptime } from "node:os";

export interface ClockReadings {
  wall(): number;
  /** May stop while the machine is suspended. */
  monotonic(): number;
  /** Time since boot, including suspended time. */
  sinceBoot(): number;
}

const SYSTEM_READINGS: ClockReadings = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
};

/** Clocks drift apart a little by themselves. */
const DRIFT_MS = 1000;

export class SystemClocks {
  readonly #readings: ClockReadings;
  #suspendedMs = 0;
  /** The offsets of the wall clock and of the time since boot from the monotonic clock. */
  #wallLeadMs: number;
  #bootLeadMs: number;

  constructor(readings: ClockReadings = SYSTEM_READINGS) {
    this.#readings = readings;
    const monotonic = readings.monotonic();
    this.#wallLeadMs = readings.wall() - monotonic;
    this.#bootLeadMs = readings.sinceBoot() - monotonic;
  }

  wall(): number {
    return this.#readings.wall();
  }

  monotonic(): number {
    return this.#readings.monotonic() + this.#suspendedMs;
  }

  /** Called periodically; adds the time for which the machine was suspended since the last call. */
  noticeSuspension(): void {
    const monotonic = this.#readings.monotonic();
    const wallLeadMs = this.#readings.wall() - monotonic;
    if (Math.abs(wallLeadMs - this.#wallLeadMs) < DRIFT_MS) return;
    this.#wallLeadMs = wallLeadMs;
    const bootLeadMs = this.#readings.sinceBoot() - monotonic;
    const suspendedMs = bootLeadMs - this.#bootLeadMs;
    this.#bootLeadMs = bootLeadMs;
    if (suspendedMs >= DRIFT_MS) this.#suspendedMs += suspendedMs;
  }
}
