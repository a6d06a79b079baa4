// The options of a start.

/** Options of `engine.start`. */
export interface StartOptions {
  /**
   * The id of the execution. The default is a new UUID. A start with the id of another execution, or of a start that is
   * posted, is refused.
   */
  readonly id?: string;
  /**
   * A start with a key that an earlier start has used returns the execution of that start (IDEM-1). In a process that
   * does not own the store, only the owner can decide that: such a start waits up to 30 seconds for the owner, and then
   * fails with `START_UNANSWERED`. It stays posted, and can be repeated with the same key. A start without a key resolves
   * as soon as it is posted.
   */
  readonly idempotencyKey?: string;
  /** Steps of an execution with a higher priority are admitted first (SCHED-2). The default is 0. */
  readonly priority?: number;
  /** An id of the caller that events and logs carry. The default is the id of the execution. */
  readonly correlationId?: string;
  /** Names and values by which a list finds the execution, such as `{ team: "payments" }`. They are not masked. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * The W3C trace context of the caller: the execution belongs to its trace. Without it, the trace is derived from the
   * execution.
   */
  readonly traceparent?: string;
  /** Cancels the execution when it aborts. A signal that has already aborted refuses the start (CANCEL-1). */
  readonly signal?: AbortSignal;
}

/** The input has the type that the built workflow declares. An input that may be null may be omitted. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
