// The SDK of OpenTelemetry, registered for the process, with an exporter in memory.

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Sampler,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";

export class RecordedSpans implements Disposable {
  readonly #exporter = new InMemorySpanExporter();

  constructor(options: { readonly sampler?: Sampler; readonly processor?: SpanProcessor } = {}) {
    const { processor = new SimpleSpanProcessor(this.#exporter), ...rest } = options;
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor], ...rest }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  }

  /** The ended spans, in the order of their ends. */
  get ended(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** The ended spans with this name. */
  named(name: string): readonly ReadableSpan[] {
    return this.ended.filter((span) => span.name === name);
  }

  [Symbol.dispose](): void {
    trace.disable();
    context.disable();
  }
}

/** The trace context of a span as a header. */
export function traceparentOf(span: ReadableSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags}`;
}
