// A line for sinks before it is encoded, and its encoding as JSON.

import { LOG_LEVELS, type LogFields, type LogLevel } from "../logger.ts";
import { plainFields } from "../plain-fields.ts";

/** A line of a sink before it is formatted. */
export interface SinkRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: LogFields;
}

/** One line of JSON, in the form of the default logger, with every text masked (DATA-9). */
export function encodeRecord({ time, level, message, fields }: SinkRecord, mask: (text: string) => string): string {
  return JSON.stringify({ time, level, ...plainFields(fields, mask), message: mask(message) });
}

export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
