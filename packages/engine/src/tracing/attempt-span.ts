// The span of an attempt, in the user's SDK of OpenTelemetry.
//
//   SP1. Code of the SDK may throw, such as a span processor. That is reported and changes nothing else.
//   SP2. Texts of a failure are masked before they get here (DATA-9).

import { context, SpanStatusCode, trace, TraceFlags, type Context, type Span } from "@opentelemetry/api";
import type { Outcome } from "@segno/kernel";

/** The end of an attempt, as its span shows it; undefined if the attempt was lost. */
export interface SpanEnd {
  readonly outcome: Outcome | undefined;
  /** The attempt exceeded its deadline, whatever its outcome (FAIL-4). */
  readonly isOverdue: boolean;
}

export class AttemptSpan {
  readonly #span: Span;
  readonly #context: Context;
  readonly #report: (error: unknown) => void;

  constructor(span: Span, parent: Context, report: (error: unknown) => void) {
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.#report = report;
  }

  /** The trace context of the span, for the header of requests and for the environment of commands. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01"}`;
  }

  /** Calls a function with the span as the active one, so that spans of its libraries are children of it. */
  run<Result>(work: () => Result): Result {
    return context.with(this.#context, work);
  }

  end(end: SpanEnd): void {
    try {
      this.#describe(end);
      this.#span.end();
    } catch (error) {
      this.#report(error);
    }
  }

  #describe({ outcome, isOverdue }: SpanEnd): void {
    const span = this.#span;
    if (isOverdue) return this.#fail("timeout", "TIMEOUT", "the attempt exceeded its deadline");
    if (outcome === undefined) return this.#fail("lost", "LOST", "the attempt was stopped by force");
    if (outcome.kind !== "failed") return void span.setAttribute("segno.outcome", outcome.kind);
    const { class: failureClass, code, message } = outcome.failure;
    span.setAttribute("segno.failure.class", failureClass);
    if (failureClass === "cancelled") span.setAttributes({ "segno.outcome": "cancelled", "error.type": code });
    else this.#fail("failed", code, message);
  }

  #fail(outcome: string, errorType: string, message: string): void {
    this.#span.setAttributes({ "segno.outcome": outcome, "error.type": errorType });
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }
}
