// The ports of the system: clocks, randomness and deferred calls. All engine code gets them from here, so that a simulator
// can replace them and repeat a run.
//
// There are two clocks. The wall clock shows the time of day; it may be set back or forward at any moment. The
// monotonic clock counts elapsed time from an arbitrary origin. Durations (polls, timeouts, backoffs, ages) use the
// monotonic clock. The wall clock is for recorded times, and for times that users wrote.

import type { EpochMs } from "@segno/kernel";

/** An alarm fires as soon as either clock shows its time. `Infinity` means never. */
export interface AlarmTime {
  readonly monotonic: number;
  readonly wall: number;
}

/** The clocks, the randomness and the scheduling of callbacks that an engine uses. A test can replace them. */
export interface SystemPorts {
  /** Names this process for people; every attempt records it (FAIL-5). */
  readonly workerId: string;
  /** The wall clock. */
  now(): EpochMs;
  /**
   * The monotonic clock, in milliseconds. It never goes back, and it counts time in which the machine was suspended.
   */
  monotonic(): number;
  /**
   * Fires once, never early. A new alarm replaces the previous one; `undefined` clears it. If the wall clock is set
   * past the time, the alarm fires within a second.
   */
  alarm(due: AlarmTime | undefined, ring: () => void): void;
  /** Calls back after the current work, and after pending I/O events were handled. */
  defer(work: () => void): void;
  /** Calls back after the current work and before I/O events, but not so often that it starves them. */
  callSoon(work: () => void): void;
  /** A new unique id that rises with time. */
  id(): string;
  /** 32 unpredictable bits. */
  seed(): number;
}

/** The event loop, as runners use it. */
export type EventLoop = Pick<SystemPorts, "callSoon">;
