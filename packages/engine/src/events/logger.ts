// Logs: one line a thing that happened, with the ids that it belongs to (EVENT-5).
//
// The port is the part of pino's that everybody uses, so a pino logger fits as it is. The logger made here is for those who
// bring none.

import type { Environment } from "../clock/environment.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogLine {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

export interface Logger extends Readonly<Record<LogLevel, LogLine>> {
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export interface JsonLoggerOptions {
  /** Lines below it are not written; `info` when it is absent. */
  readonly level?: LogLevel;
  readonly write?: (line: string) => void;
  readonly now?: Environment["now"] | (() => number);
}

/** Writes JSON, a line each, to stderr unless told otherwise. */
export function createJsonLogger(options: JsonLoggerOptions = {}): Logger {
  const { level = "info", write = toStderr, now = Date.now } = options;
  const least = LOG_LEVELS.indexOf(level);
  const loggerWith = (common: LogFields): Logger => {
    const line = (at: LogLevel): LogLine => {
      if (LOG_LEVELS.indexOf(at) < least) return ignore;
      return (...given: readonly [string] | readonly [LogFields, string]) => {
        const [fields, message] = given.length === 1 ? [{}, given[0]] : given;
        write(lineOf({ time: now(), level: at, ...common, ...fields, message }));
      };
    };
    return {
      debug: line("debug"),
      info: line("info"),
      warn: line("warn"),
      error: line("error"),
      child: (fields) => loggerWith({ ...common, ...fields }),
    };
  };
  return loggerWith({});
}

function ignore(): void {}

let isStderrSafe = false;

/** A stderr that is full, or that nobody reads, is no reason for the process to end: Node throws what nobody listens to. */
function toStderr(line: string): void {
  if (!isStderrSafe) process.stderr.on("error", ignore);
  isStderrSafe = true;
  process.stderr.write(`${line}\n`);
}

/** A log line never harms whoever writes it: what JSON does not know is written as text, what cannot be read is said so. */
function lineOf(fields: LogFields): string {
  // A field called `toJSON` would speak for all the others.
  const { toJSON, ...others } = fields;
  const all = toJSON === undefined ? others : { ...others, toJSON_: toJSON };
  try {
    return JSON.stringify(all, (_, value: unknown) => plain(value));
  } catch {
    return JSON.stringify(Object.fromEntries(Object.keys(all).map((key) => [key, textOf(all[key])])));
  }
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return String(value);
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
  return value;
}

function textOf(value: unknown): unknown {
  try {
    if (typeof value !== "object" || value === null) return plain(value);
    return Object.prototype.toString.call(value);
  } catch {
    return "[unreadable]";
  }
}
