// The logger of a step: its lines go where the engine's own go, and are kept with what the step wrote.

import { LOG_LEVELS, type LogFields, type Logger, type LogLevel, type LogLine } from "../events/logger.ts";

export function stepLogger(logger: Logger, keep: (text: string) => void, common: LogFields = {}): Logger {
  const line = (level: LogLevel): LogLine => {
    return (...given: readonly [string] | readonly [LogFields, string]) => {
      const [fields, message] = given.length === 1 ? [{}, given[0]] : given;
      if (given.length === 1) logger[level](message);
      else logger[level](fields, message);
      keep(textOf(level, { ...common, ...fields }, message));
    };
  };
  const lines = Object.fromEntries(LOG_LEVELS.map((level) => [level, line(level)])) as Record<LogLevel, LogLine>;
  return { ...lines, child: (fields) => stepLogger(logger.child(fields), keep, { ...common, ...fields }) };
}

/** As people read it: the level only where it is a warning, the fields behind the message. */
function textOf(level: LogLevel, fields: LogFields, message: string): string {
  const mark = level === "warn" || level === "error" ? `${level}: ` : "";
  return Object.keys(fields).length === 0 ? `${mark}${message}` : `${mark}${message} ${fieldsText(fields)}`;
}

function fieldsText(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? "";
  } catch {
    return "[fields that cannot be read]";
  }
}
