// A logger that masks secrets in messages, fields and stacks of errors (DATA-9).

import { LOG_LEVELS, type LogFields, type Logger, type LogLevel, type LogMethod } from "./logger.ts";
import { plainFields } from "./plain-fields.ts";

/** The part of a masker that this file needs. */
export interface TextMask {
  readonly isIdle: boolean;
  text(text: string): string;
}

export function maskedLogger(logger: Logger, mask: TextMask): Logger {
  const line = (level: LogLevel): LogMethod => {
    return (...given: readonly [string] | readonly [LogFields, string]) => {
      if (given.length === 1) return logger[level](mask.text(given[0]));
      return logger[level](maskedFields(given[0], mask), mask.text(given[1]));
    };
  };
  const lines = Object.fromEntries(LOG_LEVELS.map((level) => [level, line(level)])) as Record<LogLevel, LogMethod>;
  return { ...lines, child: (fields) => maskedLogger(logger.child(maskedFields(fields, mask)), mask) };
}

function maskedFields(fields: LogFields, mask: TextMask): LogFields {
  return mask.isIdle ? fields : plainFields(fields, (text) => mask.text(text));
}
