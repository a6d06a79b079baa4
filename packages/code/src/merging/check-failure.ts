import { ErrorType } from "../model/error-type.ts";

/** The type of the failure of a check, by the command that failed. */
export function checkErrorType(command: string): ErrorType {
  if (/\b(?:test|tests|vitest|jest|mocha|pytest|spec)\b/iu.test(command)) return ErrorType.TestFailure;
  if (/\b(?:build|compile|tsc|make|webpack|vite)\b/iu.test(command)) return ErrorType.BuildFailure;
  return ErrorType.CIFailure;
}
