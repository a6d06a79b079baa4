// Errors that user code throws to tell the engine how to continue (FAIL-1). The engine identifies them by name, so that two
// copies of this package in one dependency tree are no problem.

/** Another attempt will not help. */
export class PermanentError extends Error {
  override readonly name: string = "PermanentError";
}

/** Another attempt will help, but not before `retryAfterMs`. */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
