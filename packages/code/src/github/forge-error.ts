// Errors of a forge. Their names tell the engine whether another attempt can help (FAIL-1).

import { RateLimitError, RetryAfterError } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import { classOfError, ErrorType } from "../model/error-type.ts";

/** The codes of a `ForgeError`. */
export type ForgeErrorCode = "FORGE_UNAUTHORIZED" | "FORGE_REFUSED" | "FORGE_FAILED" | "PULL_REQUEST_MISSING";

const ERROR_TYPES: Readonly<Record<ForgeErrorCode, ErrorType>> = {
  FORGE_UNAUTHORIZED: ErrorType.AuthenticationError,
  FORGE_REFUSED: ErrorType.ConfigurationError,
  FORGE_FAILED: ErrorType.NetworkTimeout,
  PULL_REQUEST_MISSING: ErrorType.ConfigurationError,
};

/** Details of a `ForgeError`. */
export interface ForgeErrorDetails {
  /** The status of the answer; absent if there was none. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** An error of a forge such as GitHub. */
export class ForgeError extends CodeError {
  override readonly name: string;
  readonly errorType: ErrorType;
  declare readonly status?: number;

  constructor(code: ForgeErrorCode, message: string, { status, cause }: ForgeErrorDetails = {}) {
    super(code, message, cause);
    this.errorType = ERROR_TYPES[code];
    this.name = classOfError(this.errorType) === "permanent" ? "PermanentError" : "ForgeError";
    if (status !== undefined) this.status = status;
  }
}

/** The forge limits requests. The attempt does not count. */
export class ForgeLimitError extends RateLimitError {
  readonly code = "FORGE_LIMITED";
  readonly errorType: ErrorType = ErrorType.ResourceUnavailable;
}

/** The forge has not finished its own work on an earlier request. */
export class ForgePendingError extends RetryAfterError {
  readonly code = "FORGE_PENDING";
  readonly errorType: ErrorType = ErrorType.ResourceUnavailable;
}
