// The logger of a step: its lines go where the engine's own go, and are kept with what the step wrote.

import { logCall, NO_FIELDS } from "../events/log-call.ts";
import {
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LogLevel,
  type StepLogger,
  type StepLogLine,
} from "../events/logger.ts";
import { plainFields } from "../events/plain-fields.ts";

/** `common` are plain (`plain-fields.ts`). */
export function stepLogger(logger: Logger, keep: (text: string) => void, common: LogFields = NO_FIELDS): StepLogger {
  const line = (level: LogLevel): StepLogLine => {
    return (...given: readonly unknown[]) => {
      const { fields, message } = logCall(given);
      if (fields === NO_FIELDS) logger[level](message);
      else logger[level](fields, message);
      keep(formatLine(level, { ...common, ...plainFields(fields) }, message));
    };
  };
  const lines = Object.fromEntries(LOG_LEVELS.map((level) => [level, line(level)])) as Record<LogLevel, StepLogLine>;
  const child = (fields: LogFields): StepLogger =>
    stepLogger(logger.child(fields), keep, { ...common, ...plainFields(fields) });
  return { ...lines, child };
}

/** As people read it: the level only where it is a warning, the fields behind the message. */
function formatLine(level: LogLevel, fields: LogFields, message: string): string {
  const mark = level === "warn" || level === "error" ? `${level}: ` : "";
  const parts = Object.keys(fields).length === 0 ? [message] : [message, JSON.stringify(fields)];
  return mark + parts.filter((part) => part !== "").join(" ");
}
