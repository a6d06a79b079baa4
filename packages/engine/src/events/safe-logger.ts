// A logger that never throws: whoever brings one may make mistakes, and a line that could not be written is no reason for a
// step to fail or for an event to be missed.

import { outsideOfSteps } from "../logs/step-output.ts";
import type { LogFields, Logger, LogLevel, LogLine } from "./logger.ts";

export function safeLogger(logger: Logger, onError: (error: unknown) => void): Logger {
  const line = (level: LogLevel): LogLine => {
    return (...given: readonly [string] | readonly [LogFields, string]) => {
      try {
        outsideOfSteps(() => {
          if (given.length === 1) logger[level](given[0]);
          else logger[level](given[0], given[1]);
        });
      } catch (error) {
        onError(error);
      }
    };
  };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (fields) => safeLogger(childOf(logger, fields, onError), onError),
  };
}

function childOf(logger: Logger, fields: LogFields, onError: (error: unknown) => void): Logger {
  try {
    return logger.child(fields);
  } catch (error) {
    onError(error);
    return logger;
  }
}
