// Errors that user code throws to say what the engine cannot know (FAIL-1). They are known by their names, so that a
// second copy of this package in somebody's tree does not matter.

/** Trying again will not help. */
export class PermanentError extends Error {
  override readonly name: string = "PermanentError";
}

/** Trying again will help, but not before this. */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
