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
  /** The status code of an HTTP response. */
  readonly status?: number;
  /** The delay that the other party asked for; it overrides the formula and the maximum (FAIL-3). */
  readonly retryAfter?: DurationMs;
  /** The other party did not take on the work because of a limit, so the attempt does not count (FAIL-2). */
  readonly isUncounted?: true;
  /** The path in the value that the failure is about, as text. */
  readonly path?: string;
  readonly cause?: Failure;
}
