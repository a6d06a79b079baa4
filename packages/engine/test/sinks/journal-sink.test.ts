// Sinks of an engine: events reach a real server at least once and in order, whatever the server does.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Engine, workflow, type EngineOptions, type ExecutionHandle, type HttpSinkOptions } from "@segno/engine";
import { startServer, statuses, type RecordingServer, type Respond } from "./recording-server.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-journal-sink-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `${++files}`, "segno.db");

const greet = workflow<{ name: string }>("greet")
  .step("hello", ({ input }) => `hello ${input.name}`)
  .step("bye", { dependsOn: ["hello"] }, () => "bye")
  .output(({ outputs }) => outputs.bye);

interface Opening extends Partial<HttpSinkOptions> {
  readonly file: string;
  readonly faults?: unknown[];
}

function open(url: string, { file, faults = [], ...sink }: Opening, options: EngineOptions = {}): Promise<Engine> {
  return Engine.open({
    file,
    durability: "relaxed",
    workflows: [greet],
    onFault: (error) => faults.push(error),
    sinks: [{ type: "http", url, batchMs: 0, closeMs: 600_000, ...sink }],
    ...options,
  });
}

/** The ids of all events of an execution, from its journal. */
async function eventIds(handle: ExecutionHandle): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { executionId, seq } of handle.events()) ids.push(`${executionId}:${seq}`);
  return ids;
}

const idsAt = (server: RecordingServer): readonly string[] =>
  server.requests.flatMap(({ lines }) => lines.map(({ eventId }) => String(eventId)));

/** Accepted lines, without repeats, in the order in which they came. */
const distinctAt = (...servers: readonly RecordingServer[]): readonly string[] => [
  ...new Set(servers.flatMap((server) => idsAt(server))),
];

async function run(engine: Engine, name: string): Promise<ExecutionHandle> {
  const handle = await engine.start(greet, { name });
  await handle.result();
  return handle;
}

describe("a sink of an engine over HTTP", () => {
  it("EVENT-3 EVENT-5 delivers one line for each event, with its ids, in order, and once if nothing fails", async () => {
    await using server = await startServer(statuses(200));
    const engine = await open(server.url, { file: newFile() });
    const handle = await run(engine, "a");
    const ids = await eventIds(handle);
    await engine.close();
    expect(idsAt(server)).toEqual(ids);
    const lines = server.requests.flatMap((request) => request.lines);
    expect(lines.find(({ message }) => message === "step.completed")).toEqual({
      time: expect.any(Number) as number,
      level: "info",
      eventId: ids[lines.findIndex(({ message }) => message === "step.completed")],
      executionId: handle.id,
      workflow: "greet",
      correlationId: handle.id,
      seq: expect.any(Number) as number,
      step: "hello",
      attempt: 1,
      status: "succeeded",
      durationMs: expect.any(Number) as number,
      message: "step.completed",
    });
    expect(engine.sinks).toMatchObject([{ name: server.url, type: "http", delivered: ids.length, queued: 0 }]);
  });

  it("EVENT-3 sends only events of its level and its filter, and saves the position of the others", async () => {
    await using server = await startServer(statuses(200));
    const file = newFile();
    const filter = ({ message }: { readonly message: string }): boolean => message.startsWith("execution.");
    const engine = await open(server.url, { file, filter });
    await run(engine, "a");
    await engine.close();
    const again = await open(server.url, { file, filter });
    await run(again, "b");
    await again.close();
    const messages = server.requests.flatMap((request) => request.messages);
    expect(messages.every((message) => message.startsWith("execution."))).toBe(true);
    expect(messages.filter((message) => message === "execution.completed")).toHaveLength(2);
  });

  it("EVENT-3 splits events into requests by their number and by their bytes", async () => {
    await using server = await startServer(statuses(200));
    const engine = await open(server.url, { file: newFile(), batchLines: 3, batchMs: 50 });
    await run(engine, "a");
    await engine.close();
    expect(Math.max(...server.requests.map(({ lines }) => lines.length))).toBe(3);
    await using second = await startServer(statuses(200));
    const small = await open(second.url, { file: newFile(), batchBytes: 1024, batchMs: 50 });
    await run(small, "b");
    await small.close();
    expect(second.requests.length).toBeGreaterThan(1);
    expect(Math.max(...second.requests.map(({ body }) => body.length))).toBeLessThanOrEqual(1024);
  });

  it("EVENT-3 begins with the events after its creation", async () => {
    const file = newFile();
    const before = await Engine.open({ file, durability: "relaxed", workflows: [greet] });
    await run(before, "before");
    await before.close();
    await using server = await startServer(statuses(200));
    const engine = await open(server.url, { file });
    const handle = await run(engine, "after");
    const ids = await eventIds(handle);
    await engine.close();
    expect(idsAt(server)).toEqual(ids);
  });
});

/** Answers as if the server were in trouble, then accepts. */
const TROUBLES: readonly (readonly [string, Respond])[] = [
  ["500", (_, response) => void response.writeHead(500, { "retry-after": "0" }).end()],
  ["429", (_, response) => void response.writeHead(429, { "retry-after": "0" }).end()],
  ["a reset connection", (_, response: ServerResponse) => void response.socket!.resetAndDestroy()],
];

describe("a server in trouble", () => {
  it.each(TROUBLES)("EVENT-3 gets all events after %s", async (_, trouble) => {
    let requests = 0;
    await using server = await startServer((request, response) => {
      if (++requests <= 2) trouble(request, response);
      else response.end();
    });
    const engine = await open(server.url, { file: newFile() });
    const ids = await eventIds(await run(engine, "a"));
    await expect.poll(() => engine.sinks[0]!.delivered).toBe(ids.length);
    await engine.close();
    expect(distinctAt(server)).toEqual(ids);
    expect(engine.sinks[0]).toMatchObject({ failures: 2, delivered: ids.length });
  });

  it("EVENT-3 gets the events of an outage, also those of an earlier process", async () => {
    const first = await startServer(statuses(200));
    const file = newFile();
    const engine = await open(first.url, { file });
    const ids = [...(await eventIds(await run(engine, "up")))];
    await expect.poll(() => idsAt(first).length).toBe(ids.length);
    await first[Symbol.asyncDispose]();
    for (const name of ["down", "down too"]) ids.push(...(await eventIds(await run(engine, name))));
    await expect.poll(() => engine.sinks[0]!.failures).toBeGreaterThan(0);
    // A server that is down does not hold up the close, whatever `closeMs` is.
    await engine.close();
    await using second = await startServer(statuses(200), first.port);
    const next = await open(first.url, { file });
    await expect.poll(() => distinctAt(first, second)).toEqual(ids);
    await next.close();
  });

  it("EVENT-3 that is slow does not slow down executions, and close waits for it for a bounded time", async () => {
    await using server = await startServer(() => undefined);
    const engine = await open(server.url, { file: newFile(), closeMs: 1 });
    for (let each = 0; each < 20; each++) await run(engine, `${each}`);
    expect(engine.sinks[0]).toMatchObject({ delivered: 0, failures: 0 });
    await engine.close();
  });
});

describe("a process that takes over", () => {
  it("EVENT-3 delivers the events that the last owner could not", async () => {
    let isDown = true;
    const accepted: string[] = [];
    await using server = await startServer(({ lines }, response) => {
      if (!isDown) accepted.push(...lines.map(({ eventId }) => String(eventId)));
      response.writeHead(isDown ? 503 : 200).end();
    });
    const file = newFile();
    const owner = await open(server.url, { file });
    const follower = await open(server.url, { file });
    expect([owner.isOwner, follower.isOwner]).toEqual([true, false]);
    const ids = await eventIds(await run(owner, "a"));
    await owner.close();
    isDown = false;
    await expect.poll(() => [...new Set(accepted)]).toEqual(ids);
    await follower.close();
  });
});

describe("lines that a server refuses", () => {
  it("EVENT-3 are halved until the line is found, which is lost and counted; all others arrive", async () => {
    const accepted: string[] = [];
    await using server = await startServer(({ lines }, response) => {
      const isRefused = lines.some(({ message, step }) => message === "step.started" && step === "bye");
      if (!isRefused) accepted.push(...lines.map(({ eventId }) => String(eventId)));
      response.writeHead(isRefused ? 422 : 200).end();
    });
    const faults: unknown[] = [];
    const engine = await open(server.url, { file: newFile(), faults, batchMs: 50 });
    const handle = await run(engine, "a");
    const ids = await eventIds(handle);
    await engine.close();
    expect(ids.filter((id) => !accepted.includes(id))).toHaveLength(1);
    expect(engine.sinks[0]).toMatchObject({
      dropped: { debug: 0, info: 1, warn: 0, error: 0 },
      delivered: ids.length - 1,
    });
    expect(faults).toMatchObject([
      { code: "SINK_FAILED", message: expect.stringMatching(/lost the event .*: the server answered 422/u) as string },
    ]);
  });
});

describe("the positions of a sink", () => {
  it("EVENT-3 are beside the journal; without them the sink begins anew, with them it repeats nothing", async () => {
    const file = newFile();
    await using server = await startServer(statuses(200));
    const engine = await open(server.url, { file, name: "audit" });
    await run(engine, "a");
    await engine.close();
    const sent = idsAt(server).length;
    const positions = readFileSync(join(file, "../sinks/audit.positions.jsonl"), "utf8");
    expect(positions).toMatch(/"endedAt":\d+/u);
    const again = await open(server.url, { file, name: "audit" });
    const handle = await run(again, "b");
    const ids = await eventIds(handle);
    await again.close();
    expect(idsAt(server).slice(sent)).toEqual(ids);
  });

  it("EVENT-3 go on if an ended execution is retried", async () => {
    let isBroken = true;
    const flaky = workflow("flaky").step("work", { retry: { attempts: 1 } }, () => {
      if (isBroken) throw new Error("no");
      return 1;
    });
    await using server = await startServer(statuses(200));
    const file = newFile();
    const engine = await open(server.url, { file }, { workflows: [flaky], unwatchedFailures: "ignore" });
    const handle = await engine.start("flaky");
    await handle.result().catch(() => undefined);
    await engine.close();
    isBroken = false;
    const again = await open(server.url, { file }, { workflows: [flaky] });
    const retried = await again.get(handle.id);
    await retried.retry();
    await retried.result();
    const ids: string[] = await eventIds(retried).then((all) => [...all]);
    await again.close();
    expect(idsAt(server)).toEqual(ids);
  });
});

describe("the sinks of an engine", () => {
  it("EVENT-3 also write to files, and tell their counters", async () => {
    const file = newFile();
    const path = join(file, "../events.log");
    const engine = await Engine.open({ file, workflows: [greet], sinks: [{ type: "file", path }] });
    const handle = await run(engine, "a");
    const ids = await eventIds(handle);
    await engine.close();
    const lines = readFileSync(path, "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { eventId: string }).eventId)).toEqual(ids);
    expect(engine.sinks).toEqual([
      {
        name: path,
        type: "file",
        delivered: ids.length,
        dropped: { debug: 0, info: 0, warn: 0, error: 0 },
        queued: 0,
        failures: 0,
      },
    ]);
  });

  it("EVENT-3 deliver without a store, from memory", async () => {
    await using server = await startServer(statuses(503, 200));
    const engine = await Engine.open({
      store: "none",
      workflows: [greet],
      onFault: () => undefined,
      sinks: [{ type: "http", url: server.url, batchMs: 0, queueMax: 2 }],
    });
    const handle = await run(engine, "a");
    const ids = await eventIds(handle);
    await expect.poll(() => engine.sinks[0]!.delivered).toBe(ids.length);
    await engine.close();
    expect(distinctAt(server)).toEqual(ids);
  });

  it.each([
    ["two with one name", [{ type: "stdout" }, { type: "stdout" }], "two sinks have the name stdout"],
    ["a limit of attempts", [{ type: "http", url: "http://127.0.0.1:1/", attempts: 3 }], "`attempts` has no effect"],
    ["one that is not a sink", [{ type: "pipe" }], "`type`"],
    ["a value that is not a list", {}, "`sinks`"],
  ])("EVENT-3 are refused: %s", async (_, sinks, message) => {
    await expect(Engine.open({ store: "none", sinks: sinks as never })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(message) as string,
    });
  });

  it("EVENT-3 are refused by an engine that never owns the store", async () => {
    const opening = Engine.open({ file: newFile(), mode: "readOnly", sinks: [{ type: "stdout" }] });
    await expect(opening).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
