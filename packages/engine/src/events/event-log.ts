// The event log: one line per event of an execution, and engine faults (EVENT-5).

import { thrownMessage } from "@segno/kernel/thrown-text";
import { segnoCode } from "../checks/segno-code.ts";
import { eventLine } from "./event-line.ts";
import type { LogFields, Logger } from "./logger.ts";
import type { WatchEvent } from "./watch-event.ts";

export function logEvent(logger: Logger, watched: WatchEvent): void {
  const { level, fields, message } = eventLine(watched);
  logger[level](fields, message);
}

export function logFault(logger: Logger, error: unknown, executionId: string | undefined, suppressed = 0): void {
  const code = segnoCode(error);
  const fields: LogFields = {
    ...(suppressed === 0 ? {} : { suppressed }),
    ...(executionId === undefined ? {} : { executionId }),
    ...(code === undefined ? { error } : { code }),
  };
  logger.error(fields, thrownMessage(error));
}
