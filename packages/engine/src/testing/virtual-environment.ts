// A virtual environment: time stands still until a test lets it pass. Everything that is due happens by itself, as in life.
//
//   E1. Time passes by `advance` only. Alarms ring in order of time, and what follows from one has happened before the next.
//   E2. After a crash nothing of the environment calls back any more.
//   E3. The wall clock can be set while no time passes; the monotonic clock cannot.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { AlarmTime, Environment } from "../clock/environment.ts";
import { invalidOption } from "../checks/option-error.ts";

interface VirtualAlarm {
  readonly due: AlarmTime;
  readonly ring: () => void;
}

const START_MS = 1_763_000_000_000;
/** So many quiet moments in a row mean that nothing goes on by itself any more. */
const QUIET_MOMENTS = 4;

/** The time of a test: one for all engines that it opens. */
export class VirtualTime {
  readonly #sleepers = new Set<VirtualAlarm>();
  #monotonic = START_MS;
  #clockOffsetMs = 0;
  #deferred = 0;
  #ids = 0;

  /** What the wall clock shows. */
  get now(): number {
    return this.#monotonic + this.#clockOffsetMs;
  }

  /** The time that has passed, from an arbitrary origin. */
  get monotonic(): number {
    return this.#monotonic;
  }

  /** Sets the wall clock forward, or back; no time passes. */
  shiftClock(ms: number): void {
    if (!Number.isSafeInteger(this.now + ms)) throw invalidOption("duration", "a whole number of milliseconds", ms);
    this.#clockOffsetMs += ms;
  }

  /** One row of numbers for all processes: a new one must not make the ids of one that died. */
  nextId(): number {
    return ++this.#ids;
  }

  /** Runs something as soon as what goes on now is over. */
  defer(work: () => void): void {
    this.#deferred++;
    setImmediate(() => {
      this.#deferred--;
      work();
    });
  }

  /** Resolves when everything that goes on by itself has happened. */
  async untilIdle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_MOMENTS; quiet = this.#deferred === 0 ? quiet + 1 : 0)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }

  set(due: AlarmTime, ring: () => void): VirtualAlarm {
    const alarm = { due, ring };
    this.#sleepers.add(alarm);
    return alarm;
  }

  drop(alarm: VirtualAlarm): void {
    this.#sleepers.delete(alarm);
  }

  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    // A clock that shows NaN once shows nothing else any more, and no store keeps parts of a millisecond.
    if (!Number.isSafeInteger(end) || ms < 0)
      throw invalidOption("duration", "a whole number of milliseconds from 0 on, with an end", ms);
    await this.untilIdle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#sleepers.delete(next);
      this.#monotonic = Math.max(this.#monotonic, this.#dueAt(next));
      next.ring();
      await this.untilIdle();
    }
    this.#monotonic = end;
  }

  /** On the monotonic clock. */
  #dueAt({ due: { monotonic, wall } }: VirtualAlarm): number {
    return Math.min(monotonic, wall - this.#clockOffsetMs);
  }

  #next(end: number): VirtualAlarm | undefined {
    let first: VirtualAlarm | undefined;
    for (const alarm of this.#sleepers)
      if (this.#dueAt(alarm) <= end && (first === undefined || this.#dueAt(alarm) < this.#dueAt(first))) first = alarm;
    return first;
  }
}

export class VirtualEnvironment implements Environment {
  readonly workerId = "test";
  readonly #time: VirtualTime;
  #alarm: VirtualAlarm | undefined;
  #isAlive = true;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  now(): EpochMs {
    return epochMs(this.#time.now);
  }

  monotonic(): number {
    return this.#time.monotonic;
  }

  alarm(due: AlarmTime | undefined, ring: () => void): void {
    if (this.#alarm !== undefined) this.#time.drop(this.#alarm);
    this.#alarm = undefined;
    if (due === undefined || !this.#isAlive) return;
    if (due.monotonic <= this.#time.monotonic || due.wall <= this.#time.now) return this.defer(ring);
    this.#alarm = this.#time.set(due, () => {
      this.#alarm = undefined;
      ring();
    });
  }

  defer(work: () => void): void {
    this.#time.defer(() => {
      if (this.#isAlive) work();
    });
  }

  soon(work: () => void): void {
    this.defer(work);
  }

  id(): string {
    return `execution-${this.#time.now - START_MS}-${this.#time.nextId()}`;
  }

  /** Always the same, so that jitter is too. */
  seed(): number {
    return 1;
  }

  /** Resolves when so much virtual time has passed; never after a crash. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#time.set({ monotonic: this.#time.monotonic + ms, wall: Infinity }, () => {
        if (this.#isAlive) resolve();
      });
    });
  }

  crash(): void {
    this.alarm(undefined, () => undefined);
    this.#isAlive = false;
  }
}
