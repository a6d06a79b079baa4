import { PermanentError, RateLimitError, RetryAfterError } from "@segno/kernel";
import type { CodeErrorCode } from "../errors/error-codes.ts";
import { TaskError } from "../resolution/classify-task-error.ts";

/** An error after which the step is not tried again. It keeps the code of its cause; the code of a task's error is its type. */
export function permanentError(error: Error): Error {
  return withCode(new PermanentError(error.message, { cause: error }), error);
}

/** An error after which the step is tried again after a delay. */
export function retryError(error: Error, delayMs: number): Error {
  return withCode(new RetryAfterError(error.message, delayMs, { cause: error }), error);
}

/**
 * An error after which the step is tried again after a delay, without a limit: nothing has failed. The kernel knows errors
 * after which an attempt does not count by the name of rate limits.
 */
export function waitError(code: CodeErrorCode, message: string, delayMs: number): Error {
  return Object.assign(new RateLimitError(message, delayMs), { code });
}

/** The journal keeps the code of an error, and events read the type of the error from it. */
function withCode(thrown: Error, cause: Error): Error {
  const code = cause instanceof TaskError ? cause.type : (cause as { readonly code?: unknown }).code;
  return typeof code === "string" ? Object.assign(thrown, { code }) : thrown;
}
