// The options of a start.

export interface StartOptions {
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly priority?: number;
  readonly correlationId?: string;
  /** Cancels the execution when it fires; one that has fired already refuses the start (CANCEL-1). */
  readonly signal?: AbortSignal;
}

/** The input of a built workflow has its type; one that may be null may be left out. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
