// The spans of attempts, with the SDK of OpenTelemetry (EVENT-6).

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { Engine, map, skip, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, useFixture } from "../running/fixture.ts";
import { RecordedSpans, traceparentOf } from "./recorded-spans.ts";

const fixture = useFixture();

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const GIVEN = `00-${TRACE}-${SPAN}-01`;

describe("the span of an attempt", () => {
  it("EVENT-6 is a child of the start's context, is linked to its execution and names step and attempt", async () => {
    using spans = new RecordedSpans();
    const flow = workflow("flow").step("work", { retry: { attempts: 2, base: "1ms" } }, ({ attempt }) => {
      if (attempt === 1) throw Object.assign(new Error("the host is away"), { code: "EHOSTDOWN" });
      return 1;
    });
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start(flow, null, { traceparent: GIVEN, correlationId: "order-7" });
    await handle.result();
    const [first, second] = spans.named("step work");
    const attributes = {
      "segno.execution.id": handle.id,
      "segno.correlation.id": "order-7",
      "segno.workflow": "flow",
      "segno.step": "work",
    };
    for (const span of [first!, second!]) {
      expect(span.spanContext().traceId).toBe(TRACE);
      expect(span.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true });
      expect(span.links).toHaveLength(1);
      expect(span.links[0]!.attributes).toEqual({ "segno.execution.id": handle.id });
    }
    expect(second!.links[0]!.context).toEqual(first!.links[0]!.context);
    expect(first!.attributes).toEqual({
      ...attributes,
      "segno.attempt": 1,
      "segno.outcome": "failed",
      "segno.failure.class": "transient",
      "error.type": "EHOSTDOWN",
    });
    expect(first!.status).toEqual({ code: SpanStatusCode.ERROR, message: "the host is away" });
    expect(second!.attributes).toEqual({ ...attributes, "segno.attempt": 2, "segno.outcome": "succeeded" });
    expect(second!.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("EVENT-6 has the name of the step in the definition: the items of a map share one", async () => {
    using spans = new RecordedSpans();
    const flow = workflow("flow").step(
      "each",
      map(["a", "b", "c"], ({ item }) => (item === "b" ? skip("not this one") : item)),
    );
    await using engine = await Engine.open({ store: "none" });
    await (await engine.start(flow)).result();
    const items = spans.ended.filter(({ attributes }) => String(attributes["segno.step"]).includes("1"));
    expect(new Set(spans.ended.map(({ name }) => name)).size).toBe(2);
    expect(items.map(({ attributes }) => attributes["segno.outcome"])).toEqual(["skipped"]);
    expect(new Set(spans.ended.map((span) => span.spanContext().traceId)).size).toBe(1);
  });
});

describe("the span of an attempt that has trouble", () => {
  it("EVENT-6 JOURNAL-3 stays in the trace of its execution after a crash, also without a context of the start", async () => {
    using spans = new RecordedSpans();
    let calls = 0;
    const flow = workflow("flow").step("work", () => (++calls === 1 ? new Promise<never>(() => undefined) : 1));
    await using test = await openTestEngine({ workflows: [flow] });
    const { id } = await test.start(flow, null);
    await test.untilIdle();
    await test.crash();
    await test.advance("1h");
    await (await test.get(id)).result();
    const other = await test.start(flow, null);
    await other.result();
    const [again, foreign] = spans
      .named("step work")
      .filter(({ attributes }) => attributes["segno.outcome"] === "succeeded");
    expect(again!.links[0]!.context.traceId).toBe(again!.spanContext().traceId);
    expect(again!.attributes["segno.execution.id"]).toBe(id);
    expect(foreign!.spanContext().traceId).not.toBe(again!.spanContext().traceId);
  });

  it("CANCEL-2 EVENT-6 of a stopped attempt ends as an error, and so does one that timed out", async () => {
    using spans = new RecordedSpans();
    const stuck = workflow("stuck").step("stuck", () => new Promise<never>(() => undefined));
    const slow = workflow("slow").step("slow", { timeout: "1s", retry: { attempts: 1 } }, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    await using test = await openTestEngine({ workflows: [stuck, slow], unwatchedFailures: "ignore" });
    const stopped = await test.start(stuck, null);
    await test.start(slow, null);
    await test.advance("10s");
    await stopped.cancel({ graceMs: 1000 });
    await test.advance("10s");
    const ends = spans.ended.map(({ name, attributes, status }) => [name, attributes["segno.outcome"], status.code]);
    expect(ends).toEqual([
      ["step slow", "timeout", SpanStatusCode.ERROR],
      ["step stuck", "lost", SpanStatusCode.ERROR],
    ]);
  });

  it("DATA-9 EVENT-6 has no secret, in no attribute and no message", async () => {
    using spans = new RecordedSpans();
    const secret = "canary-7f3a9c";
    const yaml = `name: leak
secrets: [key]
steps:
  - { id: tell, run: 'echo "$KEY" >&2; exit 3', env: { KEY: "\${ secrets.key }" }, retry: { attempts: 1 } }
`;
    const engine = await fixture.current.open({ secrets: () => secret, unwatchedFailures: "ignore" });
    const handle = await engine.start(contract(yaml), null);
    await expect(handle.result()).rejects.toThrow("***");
    const [span] = spans.named("step tell");
    expect(span!.status.message).toContain("***");
    const { name, attributes, status, links, events } = span!;
    expect(JSON.stringify({ name, attributes, status, links, events })).not.toContain(secret);
  });
});

describe("the context of a span", () => {
  it("EVENT-6 is given to functions, commands and requests", async () => {
    using spans = new RecordedSpans();
    const headers: unknown[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headers["traceparent"]);
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const yaml = `name: f
agents: { tell: {} }
steps:
  - { id: command, run: 'printf %s "$TRACEPARENT"' }
  - { id: request, http: { url: "http://127.0.0.1:${(server.address() as AddressInfo).port}/" } }
  - { id: function, agent: tell }
output: { command: "\${ steps.command.output.stdout }", function: "\${ steps.function.output }" }
`;
    const tell = { tell: async (_: unknown, context: { readonly traceparent: string }) => context.traceparent };
    const engine = await fixture.current.open({ http: { allowPrivate: true }, agents: tell });
    const handle = await engine.start(contract(yaml), null, { traceparent: GIVEN });
    const output = await handle.result();
    server.close();
    const contextOf = (step: string): string => traceparentOf(spans.named(`step ${step}`)[0]!);
    expect(output).toEqual({ command: contextOf("command"), function: contextOf("function") });
    expect(headers).toEqual([contextOf("request")]);
  });

  it("EVENT-6 is the active one in a function, so that spans of libraries are children of it, and of a start inside it", async () => {
    using spans = new RecordedSpans();
    await using engine = await Engine.open({ store: "none" });
    const inner = workflow("inner").step("inside", () => 1);
    const outer = workflow("outer").step("outside", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      trace.getTracer("library").startSpan("query").end();
      await (await engine.start(inner)).result();
    });
    await (await engine.start(outer)).result();
    const [outside] = spans.named("step outside");
    for (const name of ["query", "step inside"])
      expect([name, spans.named(name)[0]!.parentSpanContext?.spanId]).toEqual([name, outside!.spanContext().spanId]);
  });

  it("EVENT-6 is that of a span that the SDK does not sample, with its flag", async () => {
    using _ = new RecordedSpans({ sampler: new AlwaysOffSampler() });
    await using engine = await Engine.open({ store: "none" });
    const flow = workflow("flow")
      .step("work", ({ traceparent }) => traceparent)
      .output(({ outputs }) => outputs.work);
    const traceparent = await (await engine.start(flow, null, { traceparent: GIVEN })).result();
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`, "u"));
    expect(traceparent).not.toContain(SPAN);
  });
});

describe("an SDK", () => {
  it("EVENT-6 may be registered while the engine is open", async () => {
    await using engine = await Engine.open({ store: "none" });
    const flow = workflow("flow").step("work", () => 1);
    await (await engine.start(flow)).result();
    using spans = new RecordedSpans();
    await (await engine.start(flow)).result();
    expect(spans.named("step work")).toHaveLength(1);
  });

  it.each(["onStart", "onEnd"] as const)(
    "EVENT-6 that throws at %s is reported, and the execution continues",
    async (method) => {
      const error = new Error("the exporter is broken");
      const processor: SpanProcessor = {
        onStart: () => undefined,
        onEnd: () => undefined,
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
        [method]: () => {
          throw error;
        },
      };
      using _ = new RecordedSpans({ processor });
      const faults: unknown[] = [];
      await using engine = await Engine.open({ store: "none", onFault: (fault) => void faults.push(fault) });
      const flow = workflow("flow")
        .step("work", () => 1)
        .output(({ outputs }) => outputs.work);
      expect(await (await engine.start(flow)).result()).toBe(1);
      expect(faults).toEqual([error]);
    },
  );
});
