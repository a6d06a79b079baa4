// The W3C trace context of executions and attempts (EVENT-6).

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { Engine, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, useFixture } from "../running/fixture.ts";

const fixture = useFixture();

const GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-(01|00)$/u;

function parts(traceparent: unknown): { readonly trace: string; readonly span: string; readonly flags: string } {
  const [, trace = "", span = "", flags = ""] = FORM.exec(String(traceparent)) ?? [];
  return { trace, span, flags };
}

describe("the trace context of an attempt", () => {
  it("EVENT-6 has the trace of its execution and a span of its own", async () => {
    const seen: string[] = [];
    const flow = workflow("flow")
      .step("a", { retry: { attempts: 2, base: "1ms" } }, ({ traceparent, attempt }) => {
        seen.push(traceparent);
        if (attempt === 1) throw new Error("not yet");
      })
      .step("b", ({ traceparent }) => void seen.push(traceparent))
      .output(() => null);
    const engine = await fixture.current.open();
    await (await engine.start(flow, null)).result();
    const first = seen.map(parts);
    expect(new Set(first.map(({ span }) => span)).size).toBe(3);
    expect(new Set(first.map(({ trace }) => trace)).size).toBe(1);
    expect(first.map(({ flags }) => flags)).toEqual(["01", "01", "01"]);
    await (await engine.start(flow, null)).result();
    expect(parts(seen.at(-1)).trace).not.toBe(first[0]!.trace);
  });

  it("EVENT-6 JOURNAL-3 is that of the start without an SDK for traces, also after a crash", async () => {
    const seen: string[] = [];
    const flow = workflow("flow")
      .step("a", async ({ traceparent }) => {
        seen.push(traceparent);
        if (seen.length === 1) await new Promise(() => undefined);
      })
      .output(() => null);
    await using test = await openTestEngine({ workflows: [flow] });
    const { id } = await test.start(flow, null, { traceparent: GIVEN });
    await test.untilIdle();
    await test.crash();
    await test.advance("1h");
    await (await test.get(id)).result();
    expect(seen).toEqual([GIVEN, GIVEN]);
  });
});

describe("the trace context outside of functions", () => {
  it("EVENT-6 is in the environment of commands and in the header of requests, unless the step sets another one", async () => {
    const headers: unknown[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headers["traceparent"]);
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const yaml = `name: f
steps:
  - { id: command, run: 'printf %s "$TRACEPARENT"' }
  - { id: own, run: 'printf %s "$TRACEPARENT"', env: { TRACEPARENT: mine } }
  - { id: request, dependsOn: [own], http: { url: "${url}" } }
  - { id: other, dependsOn: [request], http: { url: "${url}", headers: { Traceparent: mine } } }
output: { command: "\${ steps.command.output.stdout }", own: "\${ steps.own.output.stdout }" }
`;
    const engine = await fixture.current.open({ http: { allowPrivate: true } });
    const handle = await engine.start(contract(yaml), null, { traceparent: GIVEN });
    const { command, own } = (await handle.result()) as Record<string, string>;
    server.close();
    expect([command, own]).toEqual([GIVEN, "mine"]);
    expect(headers).toEqual([GIVEN, "mine"]);
  });

  it.each([
    "",
    "mine",
    5,
    GIVEN.toUpperCase(),
    `${GIVEN}-x`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `01${GIVEN.slice(2)}`,
  ])("OPTION_INVALID refuses a start with the trace context %j", async (traceparent) => {
    await using engine = await Engine.open({ store: "none" });
    const flow = workflow("flow").step("a", () => 1);
    await expect(engine.start(flow, null, { traceparent: traceparent as string })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});
