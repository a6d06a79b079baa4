// How old something is that was recorded with a time of the wall clock. The clock may have been set since: set forward by a
// day, it must not make everything a day older, or keys are forgotten and records removed too early.
//
//   R1. What was recorded while this process ran is never taken for older than it is. It may be taken for younger, by as much
//       as the clock was set back.
//   R2. A clock that was set is noticed by comparing it with the monotonic clock, whenever `notice` is called.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { Environment } from "./environment.ts";

/** A time in which nobody set the wall clock: what it shows is the monotonic clock and a constant. */
interface Stretch {
  /** It may have begun as early as this. */
  readonly since: number;
  readonly aheadMs: number;
}

/** Clocks are also slewed, by a little at a time. */
const DRIFT_MS = 1000;
const STRETCHES_MAX = 64;

export class RecordedAges {
  readonly #environment: Environment;
  readonly #stretches: Stretch[];
  #noticedAt: number;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#noticedAt = environment.monotonic();
    // The clock from before is all that is known about what was recorded then.
    this.#stretches = [{ since: -Infinity, aheadMs: environment.now() - this.#noticedAt }];
  }

  notice(): void {
    const monotonic = this.#environment.monotonic();
    const aheadMs = this.#environment.now() - monotonic;
    if (Math.abs(aheadMs - this.#stretches.at(-1)!.aheadMs) >= DRIFT_MS)
      this.#stretches.push({ since: this.#noticedAt, aheadMs });
    if (this.#stretches.length > STRETCHES_MAX) this.#stretches.shift();
    this.#noticedAt = monotonic;
  }

  /** What was recorded with an earlier time than this is at least so old. */
  before(ageMs: number): EpochMs {
    this.notice();
    const from = this.#noticedAt - ageMs;
    const now = this.#environment.now() - ageMs;
    return epochMs(
      Math.floor(
        this.#stretches.reduce((least, each, place) => {
          const isOver = (this.#stretches[place + 1]?.since ?? Infinity) < from;
          return isOver ? least : Math.min(least, Math.max(each.since, from) + each.aheadMs);
        }, now),
      ),
    );
  }
}
