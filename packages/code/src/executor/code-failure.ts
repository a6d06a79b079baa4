import { ExecutionError } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import { CODE_CODES, type CodeErrorCode } from "../errors/error-codes.ts";

/** The error of a code workflow that made its execution fail; any other error is returned as it is. */
export function toCodeError(error: unknown): unknown {
  if (!(error instanceof ExecutionError)) return error;
  const code = error.failure?.code;
  if (code === undefined || !Object.hasOwn(CODE_CODES, code)) return error;
  return new CodeError(code as CodeErrorCode, error.message, error);
}
