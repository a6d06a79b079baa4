/** An error with a stable code: a fault of the environment, or a problem of a document. Outcomes of user work are values instead. */
export class SegnoError extends Error {
  override readonly name: string = "SegnoError";
  /** A code that the throwing package declares. */
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
