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

  /** `retryAfterMs` is the delay before the next attempt, in milliseconds; it replaces that of the retry policy. */
  constructor(message: string, retryAfterMs: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The other party did not take on the work because of a rate limit. The step waits for `retryAfterMs`, and the attempt does
 * not count.
 */
export class RateLimitError extends Error {
  override readonly name: string = "RateLimitError";
  readonly retryAfterMs: number;

  /** `retryAfterMs` is the delay before the next attempt, in milliseconds, but at least a second. */
  constructor(message: string, retryAfterMs: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
