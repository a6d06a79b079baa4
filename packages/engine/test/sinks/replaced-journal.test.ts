// A sink over HTTP whose journal changes behind its back: executions are removed, or a backup is restored.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Engine, waitForSignal, workflow } from "@segno/engine";
import { startServer, statuses } from "./recording-server.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-replaced-journal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wait = workflow("wait").step("go", waitForSignal("go"));
const quick = workflow("quick").step("one", () => 1);

it("EVENT-3 delivers the events of an execution that continues from a restored backup", async () => {
  await using server = await startServer(statuses(200));
  const sinks = [{ type: "http", name: "s", url: server.url, batchMs: 0 }] as const;
  const file = join(folder, "a", "segno.db");
  const engine = await Engine.open({ file, workflows: [wait], sinks });
  const { id } = await engine.start("wait");
  await expect.poll(() => server.requests.some(({ messages }) => messages.includes("step.suspended"))).toBe(true);
  const restored = join(folder, "b", "segno.db");
  mkdirSync(dirname(restored));
  await engine.backup(restored);
  const handle = await engine.get(id);
  await handle.signal("go");
  await handle.result();
  await engine.close();
  cpSync(join(folder, "a", "sinks"), join(folder, "b", "sinks"), { recursive: true });
  const before = server.requests.length;

  const next = await Engine.open({ file: restored, workflows: [wait], sinks });
  const again = await next.get(id);
  await again.signal("go");
  await again.result();
  await next.close();
  const messages = server.requests.slice(before).flatMap((request) => request.messages);
  expect(messages).toContain("execution.completed");
});

it("EVENT-3 counts and reports events of executions that were removed before they were sent, and goes on", async () => {
  let isDown = true;
  await using server = await startServer((_, response) => {
    response.writeHead(isDown ? 503 : 200, { "retry-after": isDown ? "1" : "0" }).end();
  });
  const faults: string[] = [];
  const engine = await Engine.open({
    file: join(folder, "c", "segno.db"),
    workflows: [quick],
    onFault: (error) => faults.push(String(error)),
    sinks: [{ type: "http", url: server.url, batchMs: 0, queueMax: 1 }],
  });
  const removed = await engine.start("quick");
  await removed.result();
  await engine.remove(removed.id);
  isDown = false;
  const kept = await engine.start("quick");
  await kept.result();
  await expect.poll(() => engine.sinks[0]!.dropped.info).toBeGreaterThan(0);
  const isComplete = (): boolean =>
    server.requests.some(({ lines }) =>
      lines.some(({ executionId, message }) => executionId === kept.id && message === "execution.completed"),
    );
  await expect.poll(isComplete).toBe(true);
  await engine.close();
  expect(faults.join("\n")).toContain(`events of the execution ${removed.id}, which was removed from the store`);
});

it("EVENT-3 goes on after lines of its positions were damaged, with repeats and without losses", async () => {
  await using server = await startServer(statuses(200));
  const file = join(folder, "d", "segno.db");
  const options = {
    file,
    workflows: [quick],
    sinks: [{ type: "http", name: "s", url: server.url, batchMs: 0 }],
  } as const;
  const engine = await Engine.open(options);
  await (await engine.start("quick")).result();
  await engine.close();
  writeFileSync(
    join(folder, "d", "sinks", "s.positions.jsonl"),
    '{"since":0}\nnot json\n{"id":7,"seq":"x"}\n{"id":"a","se',
  );
  const next = await Engine.open(options);
  await (await next.start("quick")).result();
  const ends = (): number =>
    server.requests.flatMap(({ messages }) => messages.filter((message) => message === "execution.completed")).length;
  await expect.poll(ends).toBe(3);
  await next.close();
});
