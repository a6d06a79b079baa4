// Traces: one span for each attempt, if the process has registered an SDK of OpenTelemetry (EVENT-6). The engine uses only the
// API, so an SDK is the choice of the user.
//
//   TR1. The parent of every span is the trace context of the start. If the start had none, the parent is a context that
//        follows from the journal, so all attempts of an execution are in one trace, also after a restart.
//   TR2. There is no span of the whole execution: it may take months and outlive many processes, and an SDK exports a span only
//        when it ends. Each attempt has a link to the context of its execution, which follows from the journal.
//   TR3. Without an SDK, an attempt costs one look at the registered provider.

import {
  context,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";
import { executionTraceparent, isTraceparent } from "../checks/trace-context.ts";
import { AttemptSpan } from "./attempt-span.ts";

/** An attempt, as its span describes it. */
export interface SpannedAttempt {
  readonly executionId: string;
  readonly seed: number;
  readonly correlationId: string;
  readonly workflow: string;
  /** The id of the step in its definition. It names the span, so that the items of a map have one name. */
  readonly definedStep: string;
  readonly step: string;
  readonly attempt: number;
}

const NAME = "segno";

export class Tracing {
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** The registered tracer; undefined if the process has none (TR3). An SDK may be registered after the engine was opened. */
  get tracer(): Tracer | undefined {
    const provider = trace.getTracerProvider();
    // Another copy of the API may have made the provider, so its class is not compared.
    return isProxy(provider) ? provider.getDelegateTracer(NAME) : provider.getTracer(NAME);
  }

  /** Starts the span of an attempt. `parent` is the `traceparent` of the start. Undefined if the SDK failed. */
  startSpan(tracer: Tracer, attempt: SpannedAttempt, parent: string | undefined): AttemptSpan | undefined {
    try {
      const execution = toSpanContext(executionTraceparent(attempt));
      const parentContext = withSpanContext(isTraceparent(parent) ? toSpanContext(parent) : execution);
      const attributes = attributesOf(attempt);
      const links = [{ context: execution, attributes: { "segno.execution.id": attempt.executionId } }];
      const span = tracer.startSpan(`step ${attempt.definedStep}`, { attributes, links }, parentContext);
      return new AttemptSpan(span, parentContext, this.#report);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }
}

/** The trace context of the span that is active now; undefined if there is none. A start uses it if its caller passes none. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  if (active === undefined) return undefined;
  const { traceId, spanId, traceFlags } = active;
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01"}`;
  return isTraceparent(traceparent) ? traceparent : undefined;
}

interface ProxyProvider {
  getDelegateTracer(name: string): Tracer | undefined;
}

function isProxy(provider: object): provider is ProxyProvider {
  return "getDelegateTracer" in provider;
}

function attributesOf(attempt: SpannedAttempt): Readonly<Record<string, string | number>> {
  return {
    "segno.execution.id": attempt.executionId,
    "segno.correlation.id": attempt.correlationId,
    "segno.workflow": attempt.workflow,
    "segno.step": attempt.step,
    "segno.attempt": attempt.attempt,
  };
}

function toSpanContext(traceparent: string): SpanContext {
  const [, traceId, spanId, flags] = traceparent.split("-");
  return { traceId: traceId!, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16), isRemote: true };
}

function withSpanContext(spanContext: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}
