// The logger of an agent on a worker thread. The main thread writes its lines. Fields are converted to plain data here,
// because not every value can be cloned.

import { logCall, NO_FIELDS } from "../../events/log-call.ts";
import type { LogFields, LogLevel, StepLogger, StepLogLine } from "../../events/logger.ts";
import { plainFields } from "../../events/plain-fields.ts";
import type { ThreadLine } from "./thread-message.ts";

/** `common` is added to the fields of every line; it must be plain data. */
export function threadLogger(write: (line: ThreadLine) => void, common: LogFields = NO_FIELDS): StepLogger {
  const line = (level: LogLevel): StepLogLine => {
    return (...args: readonly unknown[]) => {
      const { fields, message } = logCall(args);
      write({ kind: "line", level, fields: { ...common, ...plainFields(fields) }, message });
    };
  };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (fields) => threadLogger(write, { ...common, ...plainFields(fields) }),
  };
}
