// The type of an error (CODE-8).

import { CodeError } from "../errors/code-error.ts";
import { ForgeError } from "../github/forge-error.ts";
import { ErrorType } from "../model/error-type.ts";

/** An error of a task whose type is known. */
export class TaskError extends CodeError {
  override readonly name: string = "TaskError";
  readonly type: ErrorType;

  constructor(type: ErrorType, message: string, cause?: unknown) {
    super("TASK_FAILED", message, cause);
    this.type = type;
  }
}

const NETWORK = new Set(["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EPIPE", "EAI_AGAIN"]);
const AUTHENTICATION = new Set([401, 403]);

const CODES: Readonly<Record<string, ErrorType>> = {
  TEMPLATE_INVALID: ErrorType.InvalidTemplate,
  PARAMETER_INVALID: ErrorType.InvalidTemplate,
  TASK_UNKNOWN: ErrorType.MissingDependency,
  GIT_MISSING: ErrorType.MissingDependency,
  GIT_TOO_OLD: ErrorType.MissingDependency,
  BASE_BRANCH_MISSING: ErrorType.MissingDependency,
  BUDGET_EXCEEDED: ErrorType.ConfigurationError,
  CONFIGURATION_INVALID: ErrorType.ConfigurationError,
  STRATEGY_INVALID: ErrorType.ConfigurationError,
  REPOSITORY_MISSING: ErrorType.ConfigurationError,
  REPOSITORY_UNSUPPORTED: ErrorType.ConfigurationError,
  WORKSPACE_TAMPERED: ErrorType.ConfigurationError,
};

/** An error that nothing is known about counts as a resource that is not available, so it is tried again. */
export function classifyTaskError(error: unknown): ErrorType {
  if (error instanceof TaskError) return error.type;
  if (error instanceof ForgeError) return error.errorType;
  const { code, status } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly status?: unknown;
  };
  if (typeof code === "string") {
    const type = CODES[code];
    if (type !== undefined) return type;
    if (NETWORK.has(code) || code.startsWith("UND_ERR_")) return ErrorType.NetworkTimeout;
    if (code === "ENOENT") return ErrorType.MissingDependency;
  }
  if (typeof status === "number" && AUTHENTICATION.has(status)) return ErrorType.AuthenticationError;
  return ErrorType.ResourceUnavailable;
}
