// A logger that writes lines of JSON, for engines that were given no logger.

import type { Environment } from "../clock/environment.ts";
import { logCall } from "./log-call.ts";
import { LOG_LEVELS, type LogFields, type LogLevel, type StepLogger, type StepLogLine } from "./logger.ts";
import { plainFields } from "./plain-fields.ts";

export interface JsonLoggerOptions {
  /** Lines below it are not written; `info` when it is absent. */
  readonly level?: LogLevel;
  readonly write?: (line: string) => void;
  readonly now?: Environment["now"] | (() => number);
}

/** Writes JSON, a line each, to stderr unless told otherwise. */
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

/** A stderr that is full, or that nobody reads, is no reason for the process to end: Node throws what nobody listens to. */
function toStderr(line: string): void {
  if (!isStderrSafe) process.stderr.on("error", ignore);
  isStderrSafe = true;
  process.stderr.write(`${line}\n`);
}
