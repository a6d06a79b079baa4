// Trace contexts of the W3C: the header `traceparent` names a trace and a span in it (EVENT-6).
//
//   TX1. The ids follow from the journal, so they are the same after a restart.

import crypto from "node:crypto";

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/u;
const TRACE_LENGTH = 32;
const SPAN_LENGTH = 16;
const SAMPLED = "01";

export function isTraceparent(value: unknown): value is string {
  return typeof value === "string" && TRACEPARENT.test(value);
}

/** An execution, as far as its trace context depends on it. */
export interface TracedExecution {
  readonly executionId: string;
  readonly seed: number;
}

/** The context of an execution whose start had none (TX1). */
export function executionTraceparent({ executionId, seed }: TracedExecution): string {
  return `00-${idOf([executionId, seed], TRACE_LENGTH)}-${idOf([executionId], SPAN_LENGTH)}-${SAMPLED}`;
}

/** An attempt, as far as its trace context depends on it. */
export interface TracedAttempt extends TracedExecution {
  readonly stepId: string;
  readonly epoch: number;
  /** The `traceparent` of the start, if it has one. */
  readonly parent: string | undefined;
}

/**
 * The context of an attempt that has no span of its own. It is the context of the start, as it was given: the span that it names
 * exists, so what the attempt calls is shown under it. Without one it names a span of the attempt in the trace of the execution.
 */
export function attemptTraceparent({ parent, stepId, epoch, ...execution }: TracedAttempt): string {
  // A journal may come from elsewhere, so the value is checked again.
  if (isTraceparent(parent)) return parent;
  const { executionId, seed } = execution;
  return `00-${idOf([executionId, seed], TRACE_LENGTH)}-${idOf([executionId, stepId, epoch], SPAN_LENGTH)}-${SAMPLED}`;
}

/** Never all zeros, which is not an id. */
function idOf(parts: readonly (string | number)[], length: number): string {
  const id = crypto.hash("sha256", JSON.stringify(parts), "hex").slice(0, length);
  return /[^0]/u.test(id) ? id : "1".padStart(length, "0");
}
