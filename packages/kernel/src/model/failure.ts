// Why an attempt, a step or an execution did not succeed. A failure is an outcome of user work: a value, never thrown.

import type { DurationMs } from "./units.ts";

/** FAIL-1. `timeout` is the engine's own deadline only, `cancelled` means that our signal fired. */
export type FailureClass = "transient" | "permanent" | "timeout" | "cancelled";

export interface Failure {
  readonly class: FailureClass;
  /** A stable code of the catalogue, or the code or name of the user's own error. */
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  /** What the other side asked for; it beats formula and maximum (FAIL-3). */
  readonly retryAfter?: DurationMs;
  /** Where in a value the trouble is, as people write a path. */
  readonly path?: string;
  readonly cause?: Failure;
}
