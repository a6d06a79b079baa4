// Why an attempt, a step or an execution did not succeed. A failure is an outcome of user work: a value, never thrown.

import type { DurationMs } from "./units.ts";

/** FAIL-1. `timeout` means only the engine's own deadline; `cancelled` means that the engine's abort signal fired. */
export type FailureClass = "transient" | "permanent" | "timeout" | "cancelled";

/** The failure of an attempt, of a step or of an execution. */
export interface Failure {
  /** Decides whether a retry is useful. */
  readonly class: FailureClass;
  /** An error code of Segno, or the code or name of the user's own error. */
  readonly code: string;
  /** The message, for people. */
  readonly message: string;
  /** The name of the user's own error, if the error has a code beside it. */
  readonly name?: string;
  /** The status code of an HTTP response. */
  readonly status?: number;
  /** The delay that the other party asked for; it overrides the formula and the maximum (FAIL-3). */
  readonly retryAfter?: DurationMs;
  /** The other party did not take on the work because of a limit, so the attempt does not count (FAIL-2). */
  readonly isUncounted?: true;
  /** The path in the value that the failure is about, as text. */
  readonly path?: string;
  /**
   * The frames of the user's code, one in a line: masked, and bounded. Only the attempt that failed has them, not the scopes
   * and the execution that failed because of it. No decision depends on them.
   */
  readonly stack?: string;
  readonly cause?: Failure;
}

/** The failure as a scope or an execution passes it on. The event of the attempt has the stacks, and once is enough. */
export function withoutStacks(failure: Failure): Failure {
  const { stack, cause, ...own } = failure;
  const bare = cause === undefined ? undefined : withoutStacks(cause);
  if (stack === undefined && bare === cause) return failure;
  return { ...own, ...(bare === undefined ? {} : { cause: bare }) };
}
