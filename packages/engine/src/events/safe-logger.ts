// A logger that never throws. A user's logger may fail, and a line that could not be written must not fail a step or
// lose an event. Its return value is not awaited; a rejection is reported once.

import { onRejected } from "../checks/thenable.ts";
import { runOutsideSteps } from "./console-capture.ts";
import type { LogFields, Logger, LogLevel, LogMethod } from "./logger.ts";

export function safeLogger(logger: Logger, onError: (error: unknown) => void): Logger {
  let hasRejected = false;
  return loggerWith(logger, onError, (error) => {
    if (!hasRejected) onError(error);
    hasRejected = true;
  });
}

type Hear = (error: unknown) => void;

function loggerWith(logger: Logger, onError: Hear, onRejection: Hear): Logger {
  const line = (level: LogLevel): LogMethod => {
    return (...given: readonly [string] | readonly [LogFields, string]) => {
      try {
        onRejected(
          runOutsideSteps(() => writeLine(logger, level, given)),
          onRejection,
        );
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
    child: (fields) => loggerWith(safeChild(logger, fields, onError), onError, onRejection),
  };
}

/** An untyped logger may be asynchronous. */
function writeLine(logger: Logger, level: LogLevel, given: readonly [string] | readonly [LogFields, string]): unknown {
  const write = (): unknown => (given.length === 1 ? logger[level](given[0]) : logger[level](given[0], given[1]));
  return write();
}

function safeChild(logger: Logger, fields: LogFields, onError: (error: unknown) => void): Logger {
  try {
    return logger.child(fields);
  } catch (error) {
    onError(error);
    return logger;
  }
}
