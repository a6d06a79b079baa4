// Trace contexts of the W3C: the header `traceparent` names a trace and a span in it. An execution is one trace, and each of
// its attempts is a span (EVENT-6).
//
//   TX1. The ids follow from the journal, so they are the same after a restart.

import crypto from "node:crypto";

/** The parts of a `traceparent`. */
interface TraceParent {
  readonly trace: string;
  readonly flags: string;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/u;
const TRACE_LENGTH = 32;
const SPAN_LENGTH = 16;
const SAMPLED = "01";

export function isTraceparent(value: unknown): value is string {
  return typeof value === "string" && TRACEPARENT.test(value);
}

/** An attempt, as far as its trace context depends on it. */
export interface TracedAttempt {
  readonly executionId: string;
  readonly seed: number;
  readonly stepId: string;
  readonly epoch: number;
  /** The `traceparent` of the start, if it has one. */
  readonly parent: string | undefined;
}

/** The trace is that of the start, or else derived from the execution. The flags are those of the start (TX1). */
export function attemptTraceparent({ executionId, seed, stepId, epoch, parent }: TracedAttempt): string {
  const { trace, flags } = readParent(parent) ?? { trace: idOf([executionId, seed], TRACE_LENGTH), flags: SAMPLED };
  return `00-${trace}-${idOf([executionId, stepId, epoch], SPAN_LENGTH)}-${flags}`;
}

/** A journal may come from elsewhere, so the value is checked again. */
function readParent(parent: string | undefined): TraceParent | undefined {
  const [, trace, flags] = TRACEPARENT.exec(parent ?? "") ?? [];
  return trace === undefined || flags === undefined ? undefined : { trace, flags };
}

/** Never all zeros, which is not an id. */
function idOf(parts: readonly (string | number)[], length: number): string {
  const id = crypto.hash("sha256", JSON.stringify(parts), "hex").slice(0, length);
  return /[^0]/u.test(id) ? id : "1".padStart(length, "0");
}
