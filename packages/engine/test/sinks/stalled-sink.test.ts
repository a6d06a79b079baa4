// A server that accepts connections and never answers: memory stays flat, executions go on, and nothing is lost.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, it } from "vitest";
import { Engine, openSink, workflow } from "@segno/engine";
import { startServer, statuses } from "./recording-server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const folder = mkdtempSync(join(tmpdir(), "segno-stalled-sink-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const work = workflow("work")
  .step("a", () => "a")
  .step("b", { dependsOn: ["a"] }, () => "b");

const MEGABYTE = 1_000_000;

function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it("EVENT-3 keeps memory flat while the server of a sink is stalled, and delivers everything later", async () => {
  const file = join(folder, "segno.db");
  const stalled = await startServer(() => undefined);
  const sink = { type: "http", name: "stalled", url: stalled.url, batchMs: 0, queueMax: 50, closeMs: 1 } as const;
  const engine = await Engine.open({ file, durability: "relaxed", workflows: [work], sinks: [sink] });
  let events = 0;
  engine.subscribe({}, (batch) => void (events += batch.events.length));
  const runAll = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 50)
      await Promise.all(Array.from({ length: 50 }, async () => (await engine.start(work)).result()));
  };
  await runAll(500);
  const before = usedMemory();
  await runAll(3000);
  // 3,000 executions have about 20,000 events, whose lines take 6 MB.
  expect(usedMemory() - before).toBeLessThan(4 * MEGABYTE);
  expect(engine.sinks[0]).toMatchObject({ delivered: 0, queued: 50 });
  await engine.close();
  await stalled[Symbol.asyncDispose]();

  await using server = await startServer(statuses(200));
  const next = await Engine.open({ file, workflows: [work], sinks: [{ ...sink, url: server.url, queueMax: 5000 }] });
  await expect.poll(() => next.sinks[0]!.delivered).toBe(events);
  await next.close();
  expect(new Set(server.requests.flatMap(({ lines }) => lines.map(({ eventId }) => eventId))).size).toBe(events);
});

it("EVENT-3 keeps memory flat in a sink without a journal: it drops lines of low levels first and counts them", async () => {
  const stalled = await startServer(() => undefined);
  const sink = openSink(
    { type: "http", url: stalled.url, level: "debug", queueMax: 1000, batchMs: 0, closeMs: 1 },
    { onError: () => undefined },
  );
  const levels = ["debug", "info", "warn", "error"] as const;
  const write = (count: number): void => {
    for (let each = 0; each < count; each++)
      sink.write({ time: 1, level: levels[each % 4]!, message: "a line".repeat(20), fields: { each } });
  };
  write(4000);
  // A queue of 1,000 lines keeps the newest errors.
  expect(sink.metrics.dropped).toEqual({ debug: 1000, info: 1000, warn: 1000, error: 0 });
  const before = usedMemory();
  write(100_000);
  expect(usedMemory() - before).toBeLessThan(2 * MEGABYTE);
  expect(sink.metrics.dropped).toMatchObject({ debug: 26_000, info: 26_000, warn: 26_000 });
  await sink.close();
  expect(sink.dropped).toBe(104_000);
  await stalled[Symbol.asyncDispose]();
});
