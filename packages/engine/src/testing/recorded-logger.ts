// A logger that records its lines.

import type { LogFields, Logger, LogLevel } from "../events/logger.ts";

export interface RecordedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export interface RecordedLogger extends Logger {
  readonly lines: readonly RecordedLine[];
}

export function recordedLogger(lines: RecordedLine[] = [], common: LogFields = {}): RecordedLogger {
  const at =
    (level: LogLevel) =>
    (...given: readonly [string] | readonly [LogFields, string]): void => {
      const [fields, message] = given.length === 1 ? [{}, given[0]] : given;
      lines.push({ level, message, fields: { ...common, ...fields } });
    };
  return {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordedLogger(lines, { ...common, ...fields }),
  };
}

/** Every call throws. */
export function throwingLogger(): Logger {
  const fails = (): never => {
    throw new Error("the disk of the log is full");
  };
  return { debug: fails, info: fails, warn: fails, error: fails, child: fails };
}
