// The counters of a sink, as plain numbers.

import { LOG_LEVELS, type LogLevel } from "../events/logger.ts";

/** The counters of one sink since it was opened. */
export interface SinkMetrics {
  /** The name of the sink, without passwords. */
  readonly name: string;
  readonly type: "stdout" | "file" | "http";
  /** The number of lines that the destination has accepted. */
  readonly delivered: number;
  /** The number of lost lines, by their level. */
  readonly dropped: Readonly<Record<LogLevel, number>>;
  /** The number of lines in memory that are not delivered yet. */
  readonly queued: number;
  /** The number of requests or writes that failed. */
  readonly failures: number;
}

/** Counts lines by level. */
export class LevelCounts {
  readonly #counts: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };

  add(level: LogLevel, count = 1): void {
    this.#counts[level] += count;
  }

  get total(): number {
    return LOG_LEVELS.reduce((sum, level) => sum + this.#counts[level], 0);
  }

  byLevel(): Readonly<Record<LogLevel, number>> {
    return { ...this.#counts };
  }
}
