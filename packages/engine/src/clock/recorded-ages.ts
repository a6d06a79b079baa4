// The age of records with wall-clock times. The clock may have been set since: if it is set forward by a day, records
// must not become a day older, or keys and executions would be removed too early.
//
//   R1. A record from the lifetime of this process never appears older than it is. It may appear younger, by as much as
//       the clock was set back.
//   R2. `notice` detects a clock that was set by comparing it with the monotonic clock.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { SystemPorts } from "./system-ports.ts";

/** A period in which the wall clock was not set: its offset from the monotonic clock is constant. */
interface SteadyPeriod {
  /** The earliest possible begin of the period. */
  readonly since: number;
  readonly aheadMs: number;
}

/** Clocks are also slewed by small amounts. */
const DRIFT_MS = 1000;
const PERIODS_MAX = 64;

export class RecordedAges {
  readonly #environment: SystemPorts;
  readonly #periods: SteadyPeriod[];
  #noticedAt: number;

  constructor(environment: SystemPorts) {
    this.#environment = environment;
    this.#noticedAt = environment.monotonic();
    // For records from before this process, only the initial offset is known.
    this.#periods = [{ since: -Infinity, aheadMs: environment.now() - this.#noticedAt }];
  }

  notice(): void {
    const monotonic = this.#environment.monotonic();
    const aheadMs = this.#environment.now() - monotonic;
    if (Math.abs(aheadMs - this.#periods.at(-1)!.aheadMs) >= DRIFT_MS)
      this.#periods.push({ since: this.#noticedAt, aheadMs });
    if (this.#periods.length > PERIODS_MAX) this.#periods.shift();
    this.#noticedAt = monotonic;
  }

  /** Records with an earlier time than this are at least `ageMs` old. */
  before(ageMs: number): EpochMs {
    this.notice();
    const from = this.#noticedAt - ageMs;
    const now = this.#environment.now() - ageMs;
    return epochMs(
      Math.floor(
        this.#periods.reduce((least, each, index) => {
          const isOver = (this.#periods[index + 1]?.since ?? Infinity) < from;
          return isOver ? least : Math.min(least, Math.max(each.since, from) + each.aheadMs);
        }, now),
      ),
    );
  }
}
