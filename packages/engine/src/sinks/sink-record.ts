// A line for sinks before it is encoded, and its encoding as JSON.

import { eventLine } from "../events/event-line.ts";
import { LOG_LEVELS, type LogFields, type LogLevel } from "../events/logger.ts";
import { plainFields } from "../events/plain-fields.ts";
import type { WatchEvent } from "../events/watch-event.ts";

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

/** The line of an event (EVENT-5). `eventId` is the same whenever the event is sent, so a receiver can drop repeats. */
export function eventRecord(watched: WatchEvent): SinkRecord {
  const { executionId, seq, at, label, agent, dependencies, status, durationMs, steps, cause } = watched;
  const { level, fields, message } = eventLine(watched);
  const details = { label, agent, dependencies, status, durationMs, steps, cause };
  const given = Object.entries(details).filter(([, value]) => value !== undefined);
  const eventId = `${executionId}:${seq}`;
  return { time: at, level, message, fields: { eventId, ...fields, ...Object.fromEntries(given) } };
}

export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
