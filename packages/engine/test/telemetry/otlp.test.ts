// Spans through the exporter of OpenTelemetry to a collector that speaks OTLP over HTTP.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect, it } from "vitest";
import { Engine, workflow } from "../../src/index.ts";

/** The part of the OTLP message that the test reads. */
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly parentSpanId: string;
        readonly links: readonly unknown[];
        readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
      }[];
    }[];
  }[];
}

it("EVENT-6 spans reach a collector over OTLP, with parent, link and attributes", async () => {
  const requests: { readonly path: string | undefined; readonly body: TraceRequest }[] = [];
  const receive = async (request: IncomingMessage): Promise<void> => {
    requests.push({ path: request.url, body: JSON.parse(await text(request)) as TraceRequest });
  };
  const server = createServer((request, response) => {
    void receive(request).then(() => response.setHeader("content-type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  trace.setGlobalTracerProvider(provider);
  await using engine = await Engine.open({ store: "none" });
  const flow = workflow("flow").step("work", () => 1);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const handle = await engine.start(flow, null, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  await handle.result();
  await provider.forceFlush();
  await provider.shutdown();
  trace.disable();
  server.close();
  const [request] = requests;
  const [scopeSpans] = request!.body.resourceSpans[0]!.scopeSpans;
  const [span] = scopeSpans!.spans;
  expect([requests.length, request!.path, scopeSpans!.scope.name]).toEqual([1, "/v1/traces", "segno"]);
  expect(span).toMatchObject({ name: "step work", traceId, parentSpanId: "b7ad6b7169203331" });
  expect(span!.links).toHaveLength(1);
  expect(span!.attributes).toContainEqual({ key: "segno.execution.id", value: { stringValue: handle.id } });
});
