// The logger of a step: its lines go to the engine's logger, and into the log of the step.

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

/** The log of the step, as its logger sees it. */
export interface StepLogTarget {
  /** Adds a masked line. */
  writeLine(text: string): void;
  maskText(text: string): string;
}

/** `common` holds plain, masked fields (`plain-fields.ts`). */
export function stepLogger(logger: Logger, target: StepLogTarget, common: LogFields = NO_FIELDS): StepLogger {
  // Fields are masked before JSON escapes the colours in them, and the line because a secret may span its parts.
  const masked = (fields: LogFields): LogFields => plainFields(fields, (text) => target.maskText(text));
  const line = (level: LogLevel): StepLogLine => {
    return (...given: readonly unknown[]) => {
      const { fields, message } = logCall(given);
      if (fields === NO_FIELDS) logger[level](message);
      else logger[level](fields, message);
      const text = formatLine(level, { ...common, ...masked(fields) }, target.maskText(message));
      target.writeLine(target.maskText(text));
    };
  };
  const lines = Object.fromEntries(LOG_LEVELS.map((level) => [level, line(level)])) as Record<LogLevel, StepLogLine>;
  const child = (fields: LogFields): StepLogger =>
    stepLogger(logger.child(fields), target, { ...common, ...masked(fields) });
  return { ...lines, child };
}

/** The line for people: with the level only for warnings and errors, and the fields after the message. */
function formatLine(level: LogLevel, fields: LogFields, message: string): string {
  const mark = level === "warn" || level === "error" ? `${level}: ` : "";
  const parts = Object.keys(fields).length === 0 ? [message] : [message, JSON.stringify(fields)];
  return mark + parts.filter((part) => part !== "").join(" ");
}
