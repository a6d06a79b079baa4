// A virtual environment: time stands still until a test advances it. All work that is due runs by itself.
//
//   E1. Time passes only by `advance`. Alarms fire in order of time, and all consequences of one are complete before
//       the next, including real I/O of functions, for which one call waits up to 5 s of real time.
//   E2. After a crash the environment calls nothing back.
//   E3. The wall clock can be set without time passing; the monotonic clock cannot.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { AlarmTime, SystemPorts } from "../clock/system-ports.ts";
import { invalidOption } from "../checks/option-error.ts";
import type { RealWork } from "./real-work.ts";

interface VirtualAlarm {
  readonly due: AlarmTime;
  readonly ring: () => void;
}

/** The process, as far as functions of steps keep it busy. */
type BusyProcess = Pick<RealWork, "look" | "giveUp">;

const START_MS = 1_763_000_000_000;
/** This many quiet ticks in a row mean that no work is left. */
const QUIET_MOMENTS = 4;
/** How long one call waits for real I/O, in real time. */
const REAL_WORK_MS = 5000;
/** Most reads of files end within this many turns of the event loop; a longer wait leaves the processor to others. */
const BUSY_TURNS = 100;

/** The clock of a test, shared by all engines that it opens. */
export class VirtualTime {
  readonly #sleepers = new Set<VirtualAlarm>();
  readonly #realWork: BusyProcess | undefined;
  #monotonic = START_MS;
  #clockOffsetMs = 0;
  #deferred = 0;
  #ids = 0;

  constructor(realWork?: BusyProcess) {
    this.#realWork = realWork;
  }

  /** The wall-clock time. */
  get now(): number {
    return this.#monotonic + this.#clockOffsetMs;
  }

  /** The elapsed time, from an arbitrary origin. */
  get monotonic(): number {
    return this.#monotonic;
  }

  /** Sets the wall clock forward or back; no time passes. */
  shiftClock(ms: number): void {
    if (!Number.isSafeInteger(this.now + ms)) throw invalidOption("duration", "a whole number of milliseconds", ms);
    this.#clockOffsetMs += ms;
  }

  /** One sequence for all processes: a new process must not generate the ids of one that died. */
  nextId(): number {
    return ++this.#ids;
  }

  /** Runs `work` after the current work. */
  defer(work: () => void): void {
    this.#deferred++;
    setImmediate(() => {
      this.#deferred--;
      work();
    });
  }

  /** Resolves when no work is left that needs no virtual time. */
  async untilIdle(): Promise<void> {
    await this.#settle(new Patience(this.#realWork));
  }

  async #settle(patience: Patience): Promise<void> {
    for (let quiet = 0; quiet < QUIET_MOMENTS; quiet = this.#deferred === 0 && !patience.mustWait() ? quiet + 1 : 0)
      await patience.turn();
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
    // A clock at NaN would stay at NaN, and no store keeps fractions of a millisecond.
    if (!Number.isSafeInteger(end) || ms < 0)
      throw invalidOption("duration", "a whole number of milliseconds from 0 on, with an end", ms);
    const patience = new Patience(this.#realWork);
    await this.#settle(patience);
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#sleepers.delete(next);
      this.#monotonic = Math.max(this.#monotonic, this.#dueAt(next));
      next.ring();
      await this.#settle(patience);
    }
    this.#monotonic = end;
  }

  /** The due time on the monotonic clock. */
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

/** How long one call of a test still waits for real I/O of functions. */
class Patience {
  readonly #realWork: BusyProcess | undefined;
  #busyTurns = 0;
  /** The real time at which the wait for the I/O in progress began. */
  #since: number | undefined;
  #leftMs = REAL_WORK_MS;

  constructor(realWork: BusyProcess | undefined) {
    this.#realWork = realWork;
  }

  mustWait(): boolean {
    if (this.#realWork?.look() !== true) {
      this.#leftMs -= this.#waitedMs();
      this.#since = undefined;
      this.#busyTurns = 0;
      return false;
    }
    this.#since ??= performance.now();
    this.#busyTurns++;
    if (this.#waitedMs() < this.#leftMs) return true;
    this.#realWork.giveUp();
    return false;
  }

  #waitedMs(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  /** A timer that has fired still counts as active until the turn is over. */
  async turn(): Promise<void> {
    if (this.#busyTurns > BUSY_TURNS) await new Promise<void>((resolve) => setTimeout(resolve, 1));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

export class VirtualEnvironment implements SystemPorts {
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

  callSoon(work: () => void): void {
    this.defer(work);
  }

  id(): string {
    return `execution-${this.#time.now - START_MS}-${this.#time.nextId()}`;
  }

  /** Constant, so that jitter is reproducible. */
  seed(): number {
    return 1;
  }

  /** Resolves after the given virtual time; never after a crash. */
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
