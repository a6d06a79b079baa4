// Commands: repeated cancellation, commands to ended executions, pausing and resuming.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { ExecutionHandle, CommandResult } from "../../src/index.ts";
import { fail, hang, openTestEngine, script, succeed, type TestEngine } from "../../src/testing/index.ts";
import { readEvents, flow, eventKinds, one, step } from "./sample-flow.ts";

const WAITS: Definition = flow([{ id: stepId("w"), action: { kind: "wait", on: "signal", signal: "go" } }]);

const wishes: readonly (readonly [string, (handle: ExecutionHandle) => Promise<CommandResult>])[] = [
  ["cancel", (handle) => handle.cancel()],
  ["cancel by draining", (handle) => handle.cancel({ mode: "drain" })],
  ["pause", (handle) => handle.pause()],
  ["resume", (handle) => handle.resume()],
  ["signal", (handle) => handle.signal("go")],
];

const agents = { work: async () => 1, fails: script([fail("no", { permanent: true })]), hangs: script([hang()]) };

async function ended(test: TestEngine, status: "completed" | "failed" | "cancelled"): Promise<ExecutionHandle> {
  const handle = await test.start(one({ agent: { completed: "work", failed: "fails", cancelled: "hangs" }[status] }));
  await test.untilIdle();
  if (status === "cancelled") await handle.cancel({ graceMs: 0 });
  await test.advance(10);
  expect((await handle.status()).status).toBe(status);
  return handle;
}

describe("something that has ended", () => {
  it.each(wishes)("CANCEL-6 answers a %s with its state, and is not touched by it", async (_, command) => {
    await using test = await openTestEngine({ agents });
    for (const status of ["completed", "failed", "cancelled"] as const) {
      const handle = await ended(test, status);
      const before = await handle.status();
      expect(await command(handle)).toMatchObject({
        kind: "ignored",
        status,
        reason: expect.stringMatching(/\S/u) as string,
      });
      expect(await handle.status()).toEqual(before);
      await test.crash();
      expect(await command(await test.get(handle.id))).toMatchObject({ kind: "ignored", status });
      expect(await (await test.get(handle.id)).status()).toEqual(before);
    }
  });

  it("STATE-2 CANCEL-6 is opened again by a retry when it failed, and never when it was cancelled", async () => {
    await using test = await openTestEngine({ agents });
    expect(await (await ended(test, "cancelled")).retry()).toMatchObject({ kind: "ignored", status: "cancelled" });
    expect(await (await ended(test, "completed")).retry()).toMatchObject({ kind: "ignored", status: "completed" });
    const failed = await ended(test, "failed");
    expect(await failed.retry()).toEqual({ kind: "accepted" });
    expect(await eventKinds(failed)).toContain("execution.reopened");
  });
});

describe("cancelling twice", () => {
  it("CANCEL-6 is answered with the state, and does not prolong the grace", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one({ agent: "hangs" }));
    await test.untilIdle();
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    await test.advance("4s");
    expect(await handle.cancel()).toMatchObject({ kind: "ignored", status: "cancelling" });
    await test.advance("1s");
    expect((await handle.status()).status).toBe("cancelled");
    expect(await readEvents(handle, "execution.cancelling")).toHaveLength(1);
  });

  it("CANCEL-6 at the same moment is taken once", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one({ agent: "hangs" }));
    await test.untilIdle();
    const answers = await Promise.all([handle.cancel(), handle.cancel(), handle.cancel()]);
    expect(answers.map(({ kind }) => kind)).toEqual(["accepted", "ignored", "ignored"]);
  });
});

describe("a pause", () => {
  it("CANCEL-7 lets what runs end and starts nothing new, and a resume goes on", async () => {
    const work = script([succeed("done", { after: "1s" })]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.untilIdle();
    expect(await handle.pause()).toEqual({ kind: "accepted" });
    await test.advance("1h");
    expect(await handle.status()).toMatchObject({
      status: "paused",
      steps: [{ status: "succeeded" }, { attempts: 0 }],
    });
    expect(await handle.resume()).toEqual({ kind: "accepted" });
    await test.advance("1s");
    expect([(await handle.status()).status, work.calls.length]).toEqual(["completed", 2]);
  });

  it("CANCEL-7 survives a restart, and so does its end", async () => {
    const work = script([succeed("done", { after: "1s" })]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]));
    await test.untilIdle();
    await handle.pause();
    await test.advance("1s");
    await test.crash();
    await test.advance("1d");
    const paused = await test.get(handle.id);
    expect([(await paused.status()).status, work.calls.length]).toEqual(["paused", 1]);
    expect(await paused.resume()).toEqual({ kind: "accepted" });
    await test.crash();
    await test.advance("1s");
    expect((await (await test.get(handle.id)).status()).status).toBe("completed");
  });

  it("CANCEL-7 holds back a retry that falls due meanwhile, until the resume", async () => {
    const work = script([fail("busy"), succeed("done")]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(flow([step("a")]));
    await test.untilIdle();
    await handle.pause();
    await test.advance("1h");
    expect(work.calls.length).toBe(1);
    await handle.resume();
    await test.advance("1s");
    expect([(await handle.status()).status, work.calls.length]).toEqual(["completed", 2]);
  });
});

describe("a pause", () => {
  it("CANCEL-7 does not lose a signal that comes meanwhile", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(WAITS);
    await handle.pause();
    expect(await handle.signal("go", 7)).toEqual({ kind: "accepted" });
    await handle.resume();
    await test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
  });

  it("CANCEL-6 CANCEL-7 twice, and a resume of what is not paused, are answered with the state", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(WAITS);
    expect(await handle.resume()).toMatchObject({ kind: "ignored", status: "running" });
    await handle.pause();
    expect(await handle.pause()).toMatchObject({ kind: "ignored", status: "paused" });
  });

  it("CANCEL-2 CANCEL-7 does not keep an execution from being cancelled", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(WAITS);
    await handle.pause();
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    expect((await handle.status()).status).toBe("cancelled");
  });

  it("CANCEL-7 FAIL-4 does not stop the deadline of an attempt that runs", async () => {
    await using test = await openTestEngine({ agents });
    const handle = await test.start(one({ agent: "hangs", timeout: durationMs(1000) }));
    await test.untilIdle();
    await handle.pause();
    await test.advance("2s");
    expect((await handle.status()).steps[0]).toMatchObject({ status: "cancelling" });
    await test.advance("5s");
    expect((await handle.status()).steps[0]).toMatchObject({ status: "failed" });
  });
});
