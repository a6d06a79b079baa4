// The thread pool: which attempt runs on which thread, which waits, and which threads stay alive.

import { setTimeout } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

/** Reports its start and its thread, and runs until it is told to stop. */
const PATIENT = `
  import { threadId } from "node:worker_threads";
  let calls = 0;
  export default (input, { log, signal }) => {
    calls++;
    log.info({ threadId, calls }, "began");
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(threadId)));
  };
`;

/** Returns its thread and how often the module was called there. */
const QUICK = `
  import { threadId } from "node:worker_threads";
  let calls = 0;
  export default () => ({ threadId, calls: ++calls });
`;

describe("two attempts", () => {
  it("CANCEL-2 run on two threads at once, neither of them the engine's", async () => {
    const path = fixture.module(PATIENT);
    const [first, second] = [fixture.start(path), fixture.start(path)];
    await Promise.all([first.attempt.said("began"), second.attempt.said("began")]);
    for (const { abort } of [first, second]) abort(false, "enough");
    const ids = [toOutput(await first.attempt.outcome), toOutput(await second.attempt.outcome)];
    expect(new Set([...ids, threadId]).size).toBe(3);
  });

  it("CANCEL-2 in sequence use the same thread, which has loaded the module", async () => {
    const path = fixture.module(QUICK);
    const first = toOutput(await fixture.start(path).attempt.outcome) as { threadId: number };
    const second = toOutput(await fixture.start(path).attempt.outcome);
    expect(second).toEqual({ threadId: first.threadId, calls: 2 });
  });

  it("CANCEL-2 of two modules each use the thread that has loaded theirs", async () => {
    const [one, two] = [fixture.module(PATIENT), fixture.module(PATIENT)];
    const both = [fixture.start(one), fixture.start(two)];
    for (const { attempt } of both) await attempt.said("began");
    for (const { abort } of both) abort(false, "enough");
    const ids = [toOutput(await both[0]!.attempt.outcome), toOutput(await both[1]!.attempt.outcome)];
    for (const [place, path] of [one, two].entries()) {
      const again = fixture.start(path);
      await again.attempt.said("began");
      expect(again.attempt.lines[0]!.fields).toEqual({ threadId: ids[place], calls: 2 });
      again.abort(false, "enough");
      await again.attempt.outcome;
    }
  });
});

describe("a pool of one thread", () => {
  it("CANCEL-2 runs attempts first in, first out, one at a time", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(PATIENT);
    const all = [1, 2, 3].map((number) => fixture.start(path, { input: number }));
    const began: boolean[][] = [];
    for (const { attempt, abort } of all) {
      await attempt.said("began");
      began.push(all.map((each) => each.attempt.lines.length > 0));
      abort(false, "enough");
      await attempt.outcome;
    }
    expect(began).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it("CANCEL-1 never starts an attempt that was stopped while it waited", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(PATIENT);
    const [runs, waits, next] = [fixture.start(path), fixture.start(path), fixture.start(path)];
    await runs.attempt.said("began");
    waits.abort(false, "not needed");
    expect(waits.attempt.calls).toEqual([]);
    expect(await waits.attempt.outcome).toMatchObject({
      kind: "failed",
      failure: { class: "cancelled", code: "AbortError", message: "not needed" },
    });
    await waits.attempt.whenExited;
    runs.abort(false, "enough");
    await next.attempt.said("began");
    next.abort(true, "enough");
    await next.attempt.whenExited;
    expect([waits.attempt.calls, waits.attempt.lines]).toEqual([["end", "exited"], []]);
  });

  it("CANCEL-2 abandons a waiting attempt without an outcome, and reports its exit", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(PATIENT);
    const [runs, waits] = [fixture.start(path), fixture.start(path)];
    await runs.attempt.said("began");
    waits.abort(false, "not needed");
    waits.abort(true, "not needed at all");
    await waits.attempt.whenExited;
    expect(waits.attempt.calls).toEqual(["exited"]);
  });

  it("CANCEL-1 does not start an attempt that is no longer current", async () => {
    fixture.setUp({ size: 1 });
    const { attempt } = fixture.start(fixture.module(PATIENT), { isWanted: false });
    expect(await attempt.outcome).toMatchObject({ failure: { class: "cancelled" } });
    expect([attempt.calls, attempt.lines]).toEqual([["end", "exited"], []]);
  });
});

describe("idle", () => {
  it("CANCEL-2 resolves when nothing waits or runs", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(QUICK);
    const all = [1, 2, 3].map(() => fixture.start(path));
    expect(fixture.runner.commitDelayTicks).toBe(0);
    await fixture.runner.idle();
    expect(all.map(({ attempt }) => attempt.calls)).toEqual(all.map(() => ["end", "exited"]));
    await fixture.runner.idle();
  });

  it("CANCEL-2 idle threads end after a while, and new ones start on demand", async () => {
    fixture.setUp({ idleMs: 1 });
    const path = fixture.module(QUICK);
    const first = toOutput(await fixture.start(path).attempt.outcome) as { threadId: number };
    // The thread's clock started before this one.
    await fixture.runner.idle();
    await setTimeout(10);
    const second = toOutput(await fixture.start(path).attempt.outcome);
    expect(second).toMatchObject({ calls: 1 });
    expect(second).not.toMatchObject({ threadId: first.threadId });
    expect(fixture.reports).toEqual([]);
  });
});
