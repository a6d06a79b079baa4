import type { ErrorCode } from "./catalogue.ts";

/** A fault of the world or of a document, with a stable code. Outcomes of user work are values, not this. */
export class SegnoError extends Error {
  override readonly name: string = "SegnoError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
