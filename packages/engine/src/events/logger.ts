// Logging: one line per event, with the ids that it belongs to (EVENT-5).
//
// The interface is the commonly used part of pino's, so a pino logger fits as it is. The JSON logger here is the
// default.

import type { Environment } from "../clock/environment.ts";
import { logCall } from "./log-call.ts";
import { plainFields } from "./plain-fields.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** A log method of a step. Some loggers take the message first and some the fields, so it accepts both orders. */
export interface StepLogLine extends LogMethod {
  (message: string, fields: LogFields): void;
}

/** The logger of a step. */
export interface StepLogger extends Readonly<Record<LogLevel, StepLogLine>> {
  child(fields: LogFields): StepLogger;
}

export interface JsonLoggerOptions {
  /** The minimum level. The default is `info`. */
  readonly level?: LogLevel;
  readonly write?: (line: string) => void;
  readonly now?: Environment["now"] | (() => number);
}

/** Writes one line of JSON per call, to stderr by default. */
export function createJsonLogger(options: JsonLoggerOptions = {}): StepLogger {
  const { level = "info", write = toStderr, now = Date.now } = options;
  const least = LOG_LEVELS.indexOf(level);
  const loggerWith = (common: LogFields): StepLogger => {
    const line = (at: LogLevel): StepLogLine => {
      if (LOG_LEVELS.indexOf(at) < least) return ignore;
      return (...given: readonly unknown[]) => {
        const { fields, message } = logCall(given);
        write(JSON.stringify({ time: now(), level: at, ...common, ...plainFields(fields), message }));
      };
    };
    return {
      debug: line("debug"),
      info: line("info"),
      warn: line("warn"),
      error: line("error"),
      child: (fields) => loggerWith({ ...common, ...plainFields(fields) }),
    };
  };
  return loggerWith({});
}

function ignore(): void {}

let isStderrSafe = false;

/** A full or closed stderr must not end the process: Node.js throws an `error` event without a listener. */
function toStderr(line: string): void {
  if (!isStderrSafe) process.stderr.on("error", ignore);
  isStderrSafe = true;
  process.stderr.write(`${line}\n`);
}
