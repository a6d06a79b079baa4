// The events of all executions: a snapshot and then what follows, and parts of streams to the readers of one execution (HTTP-5).

import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";
import { readUntil, sentEvents, type SentEvent } from "./streams.ts";

const followAll = (fixture: ServerFixture, query = "", token = fixture.token) =>
  fetch(`${fixture.server.url}/v1/events${query}`, { headers: { authorization: `Bearer ${token}` } });

const isEnd = (id: string) => (event: SentEvent) =>
  event.event === "execution.completed" && event.data["executionId"] === id;

describe("the events of all executions", () => {
  it("HTTP-5 begin with the executions that have not ended, and continue without a gap or a repeat", async () => {
    await using fixture = await ServerFixture.open();
    const wait = { headers: { prefer: "wait=10" } };
    await fixture.post("/v1/executions", { workflow: "hello", id: "ended", input: { name: "Ada" } }, wait);
    await fixture.post("/v1/executions", { workflow: "asks", id: "waits" });
    await expect.poll(async () => (await fixture.call("/v1/approvals")).json["approvals"]).toHaveLength(1);
    const response = await followAll(fixture);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const events = sentEvents(response);
    const [snapshot] = await readUntil(events, ({ event }) => event === "snapshot");
    const rows = snapshot!.data["executions"] as { id: string; seq: number }[];
    expect([snapshot!.id, snapshot!.data["isLast"], rows.map(({ id }) => id)]).toEqual([undefined, true, ["waits"]]);
    await fixture.post("/v1/executions/waits/votes", { step: "ask", verdict: "approve" });
    await fixture.post("/v1/executions/waits/signals/go", { payload: {} });
    const own = (await readUntil(events, isEnd("waits"))).filter(({ data }) => data["executionId"] === "waits");
    expect(own.map(({ data }) => data["seq"])).toEqual(own.map((_, index) => rows[0]!.seq + 1 + index));
    expect(own.map(({ id }) => id)).toEqual(own.map(({ data }) => `waits:${String(data["seq"])}`));
    await events.return(undefined);
  });

  it("HTTP-5 can be those of one workflow and of some kinds; other kinds are refused", async () => {
    await using fixture = await ServerFixture.open();
    const query = "?workflow=hello&kinds=execution.started,execution.completed";
    const events = sentEvents(await followAll(fixture, query));
    await readUntil(events, ({ event }) => event === "snapshot");
    await fixture.post("/v1/executions", { workflow: "asks", id: "other" });
    await fixture.post("/v1/executions", { workflow: "hello", id: "mine", input: { name: "Ada" } });
    const seen = await readUntil(events, isEnd("mine"));
    expect(seen.map(({ event }) => event)).toEqual(["execution.started", "execution.completed"]);
    await events.return(undefined);
    const unknown = await followAll(fixture, "?kinds=execution.exploded");
    expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([400, "REQUEST_INVALID"]);
  });

  it("EVENT-1 have what source 000 lists: ids and time, agent and dependencies, status, duration and attempts, the context", async () => {
    await using fixture = await ServerFixture.open();
    const events = sentEvents(await followAll(fixture));
    await readUntil(events, ({ event }) => event === "snapshot");
    await fixture.post("/v1/executions", { workflow: "hello", id: "e1", input: { name: "Ada" }, correlationId: "c1" });
    const seen = await readUntil(events, isEnd("e1"));
    const data = (kind: string): Record<string, unknown> => seen.find(({ event }) => event === kind)!.data;
    for (const event of seen)
      expect(event.data).toMatchObject({
        executionId: "e1",
        workflow: "hello",
        correlationId: "c1",
        at: expect.any(Number),
      });
    expect(data("step.started")).toMatchObject({ step: "say", agent: expect.any(String), dependencies: [] });
    expect(data("step.completed")).toMatchObject({
      step: "say",
      status: "succeeded",
      durationMs: expect.any(Number),
      attempt: 1,
    });
    expect(data("execution.completed")["context"]).toMatchObject({ input: { name: "Ada" } });
    await events.return(undefined);
  });
});

describe("the events of all executions for a slow reader", () => {
  it("HTTP-5 tell it to start over, with a new snapshot, and lose nothing after it", async () => {
    await using fixture = await ServerFixture.open();
    await fixture.post("/v1/executions", { workflow: "asks", id: "waits" });
    const response = await followAll(fixture);
    const events = sentEvents(response);
    await readUntil(events, ({ event }) => event === "snapshot");
    // Nothing is read while much more happens than the buffers of the connection and of the server take.
    const name = "x".repeat(200_000);
    for (let i = 0; i < 80; i++)
      await fixture.post(
        "/v1/executions",
        { workflow: "hello", id: `big-${i}`, input: { name } },
        { headers: { prefer: "wait=30" } },
      );
    await readUntil(events, ({ event }) => event === "resync");
    const [snapshot] = await readUntil(events, ({ event }) => event === "snapshot");
    const rows = snapshot!.data["executions"] as { id: string; seq: number }[];
    const { seq } = rows.find(({ id }) => id === "waits")!;
    await fixture.post("/v1/executions/waits/votes", { step: "ask", verdict: "approve" });
    await fixture.post("/v1/executions/waits/signals/go", { payload: {} });
    const own = (await readUntil(events, isEnd("waits"))).filter(({ data }) => data["executionId"] === "waits");
    expect(own.map(({ data }) => data["seq"])).toEqual(own.map((_, index) => seq + 1 + index));
    await events.return(undefined);
  });
});

describe("streams", () => {
  it("HTTP-5 send what a step streams to the readers of its execution, without an id", async () => {
    const gate = Promise.withResolvers<void>();
    const talks = workflow("talks").step("talk", async ({ stream }) => {
      await gate.promise;
      stream("Hel");
      stream("lo\n");
      return "done";
    });
    await using fixture = await ServerFixture.open({ workflows: [talks] });
    await fixture.post("/v1/executions", { workflow: "talks", id: "t1" });
    const headers = { authorization: `Bearer ${fixture.token}` };
    const events = sentEvents(await fetch(`${fixture.server.url}/v1/executions/t1/events`, { headers }));
    const started = await readUntil(events, ({ event }) => event === "step.started");
    gate.resolve();
    const rest = await readUntil(events, isEnd("t1"));
    const parts = rest.filter(({ event }) => event === "stream");
    expect(parts.map(({ data }) => data["text"]).join("")).toBe("Hello\n");
    expect(parts[0]).toMatchObject({ event: "stream", data: { executionId: "t1", step: "talk", attempt: 1 } });
    expect(parts.every(({ id }) => id === undefined)).toBe(true);
    const journaled = [...started, ...rest].filter(({ id }) => id !== undefined);
    expect(journaled.map(({ data }) => data["seq"])).toEqual(journaled.map((_, index) => index + 1));
  });

  it("HTTP-7 end when their token has expired", async () => {
    await using fixture = await ServerFixture.open({ limits: { heartbeatMs: 20 } });
    const { token } = await fixture.server.tokens.create({
      name: "ann",
      scopes: ["read"],
      expiresAt: Date.now() + 2000,
    });
    const response = await followAll(fixture, "", token);
    // On a slow machine the token may have expired before the request.
    if (response.status === 401) return;
    let count = 0;
    for await (const _ of sentEvents(response)) count += 1;
    expect(count).toBe(1);
  });

  it("HTTP-7 are not opened by HEAD", async () => {
    await using fixture = await ServerFixture.open({ limits: { streamsPerToken: 1 } });
    for (let i = 0; i < 3; i++) expect((await fixture.call("/v1/events", { method: "HEAD" })).status).toBe(200);
    const response = await followAll(fixture);
    expect(response.status).toBe(200);
    await response.body!.cancel();
  });

  it("HTTP-5 of an execution that waits are forgotten when their readers leave", async () => {
    await using fixture = await ServerFixture.open({ limits: { streamsPerToken: 1 } });
    await fixture.post("/v1/executions", { workflow: "asks", id: "e1" });
    const headers = { authorization: `Bearer ${fixture.token}` };
    for (let i = 0; i < 5; i++) {
      const open = (): Promise<Response> => fetch(`${fixture.server.url}/v1/executions/e1/events`, { headers });
      let response = await open();
      // The server learns of the last reader's leaving a moment later.
      for (; response.status === 429; response = await open()) {
        await response.body!.cancel();
        await sleep(5);
      }
      const events = sentEvents(response);
      await readUntil(events, ({ event }) => event === "execution.created");
      await events.return(undefined);
    }
  });
});
