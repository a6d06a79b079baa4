// The options of a start.

export interface StartOptions {
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly priority?: number;
  readonly correlationId?: string;
  /** Cancels the execution when it aborts. A signal that has already aborted refuses the start (CANCEL-1). */
  readonly signal?: AbortSignal;
}

/** The input has the type that the built workflow declares. An input that may be null may be omitted. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
