// The default logger, which writes lines of JSON.

import type { SystemPorts } from "../clock/system-ports.ts";
import { logCall } from "./log-call.ts";
import { LOG_LEVELS, type LogFields, type LogLevel, type StepLogger, type StepLogLine } from "./logger.ts";
import { plainFields } from "./plain-fields.ts";

/** Options of `createJsonLogger`. */
export interface JsonLoggerOptions {
  /** The minimum level. The default is `info`. */
  readonly level?: LogLevel;
  /** Writes one line. The default writes to stderr. */
  readonly write?: (line: string) => void;
  /** The clock of the lines. The default is the system's clock. */
  readonly now?: SystemPorts["now"] | (() => number);
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
