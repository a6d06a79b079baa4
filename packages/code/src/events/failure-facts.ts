// The facts about a failure in events, as the engine records it.

import type { Failure } from "@segno/kernel";
import { ERROR_TYPES, ErrorType } from "../model/error-type.ts";
import { classifyTaskError } from "../resolution/classify-task-error.ts";
import type { CodeEvent } from "./event-port.ts";

export type FailureFacts = Pick<CodeEvent, "error" | "errorType" | "conflicts" | "ciLogs">;

export function failureFacts(failure: Failure): FailureFacts {
  const errorType = typeOfFailure(failure);
  return { error: failure.message, ...(errorType === undefined ? {} : { errorType }) };
}

/** The code of an error of a task is its type. Of other errors that are not tried again, only some codes have a type. */
function typeOfFailure(failure: Failure): ErrorType | undefined {
  if (isErrorType(failure.code)) return failure.code;
  if (failure.class === "timeout") return ErrorType.AgentTimeout;
  const type = classifyTaskError(failure);
  const isKnown = type !== ErrorType.ResourceUnavailable || failure.class === "transient";
  return isKnown || failure.code === "SETUP_FAILED" ? type : undefined;
}

export function isErrorType(value: unknown): value is ErrorType {
  return (ERROR_TYPES as readonly unknown[]).includes(value);
}
