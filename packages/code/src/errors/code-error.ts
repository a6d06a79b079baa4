import { SegnoError } from "@segno/kernel";
import type { CodeErrorCode } from "./error-codes.ts";

/** An error of a code workflow. */
export class CodeError extends SegnoError {
  override readonly name: string = "CodeError";

  constructor(code: CodeErrorCode, message: string, cause?: unknown) {
    super(code, message, cause === undefined ? undefined : { cause });
  }
}
