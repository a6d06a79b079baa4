import { PermanentError, RetryAfterError } from "@segno/kernel";
import { TaskError } from "../resolution/classify-task-error.ts";

/** An error after which the step is not tried again. It keeps the code of its cause; the code of a task's error is its type. */
export function permanentError(error: Error): Error {
  return withCode(new PermanentError(error.message, { cause: error }), error);
}

/** An error after which the step is tried again after a delay. */
export function retryError(error: Error, delayMs: number): Error {
  return withCode(new RetryAfterError(error.message, delayMs, { cause: error }), error);
}

/** The journal keeps the code of an error, and events read the type of the error from it. */
function withCode(thrown: Error, cause: Error): Error {
  const code = cause instanceof TaskError ? cause.type : (cause as { readonly code?: unknown }).code;
  return typeof code === "string" ? Object.assign(thrown, { code }) : thrown;
}
