// The pool of threads: who runs where, who waits, and what stays warm.

import { setTimeout } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { toOutput, useThreadFixture } from "./thread-fixture.ts";

const stage = useThreadFixture();

/** Says that it has begun and on which thread, and goes on until it is told to stop. */
const PATIENT = `
  import { threadId } from "node:worker_threads";
  let calls = 0;
  export default (input, { logger, signal }) => {
    calls++;
    logger.info({ threadId, calls }, "began");
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(threadId)));
  };
`;

/** Gives back its thread, and how often the module was asked there. */
const QUICK = `
  import { threadId } from "node:worker_threads";
  let calls = 0;
  export default () => ({ threadId, calls: ++calls });
`;

describe("two attempts", () => {
  it("CANCEL-2 run on two threads at once, and neither is that of the engine", async () => {
    const path = stage.module(PATIENT);
    const [first, second] = [stage.start(path), stage.start(path)];
    await Promise.all([first.attempt.said("began"), second.attempt.said("began")]);
    for (const { abort } of [first, second]) abort(false, "enough");
    const ids = [toOutput(await first.attempt.outcome), toOutput(await second.attempt.outcome)];
    expect(new Set([...ids, threadId]).size).toBe(3);
  });

  it("CANCEL-2 one after the other have the same thread, on which the module is loaded already", async () => {
    const path = stage.module(QUICK);
    const first = toOutput(await stage.start(path).attempt.outcome) as { threadId: number };
    const second = toOutput(await stage.start(path).attempt.outcome);
    expect(second).toEqual({ threadId: first.threadId, calls: 2 });
  });

  it("CANCEL-2 of two modules have each the thread that knows theirs", async () => {
    const [one, two] = [stage.module(PATIENT), stage.module(PATIENT)];
    const both = [stage.start(one), stage.start(two)];
    for (const { attempt } of both) await attempt.said("began");
    for (const { abort } of both) abort(false, "enough");
    const ids = [toOutput(await both[0]!.attempt.outcome), toOutput(await both[1]!.attempt.outcome)];
    for (const [place, path] of [one, two].entries()) {
      const again = stage.start(path);
      await again.attempt.said("began");
      expect(again.attempt.lines[0]!.fields).toEqual({ threadId: ids[place], calls: 2 });
      again.abort(false, "enough");
      await again.attempt.outcome;
    }
  });
});

describe("a pool of one thread", () => {
  it("CANCEL-2 takes attempts first in, first out, one at a time", async () => {
    stage.setUp({ size: 1 });
    const path = stage.module(PATIENT);
    const all = [1, 2, 3].map((number) => stage.start(path, { input: number }));
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

  it("CANCEL-1 never begins an attempt that was stopped while it waited", async () => {
    stage.setUp({ size: 1 });
    const path = stage.module(PATIENT);
    const [runs, waits, next] = [stage.start(path), stage.start(path), stage.start(path)];
    await runs.attempt.said("began");
    waits.abort(false, "not needed");
    expect(waits.attempt.story).toEqual([]);
    expect(await waits.attempt.outcome).toMatchObject({
      kind: "failed",
      failure: { class: "cancelled", code: "AbortError", message: "not needed" },
    });
    await waits.attempt.whenSettled;
    runs.abort(false, "enough");
    await next.attempt.said("began");
    next.abort(true, "enough");
    await next.attempt.whenSettled;
    expect([waits.attempt.story, waits.attempt.lines]).toEqual([["end", "settled"], []]);
  });

  it("CANCEL-2 gives up an attempt that waits without an end, and settles it", async () => {
    stage.setUp({ size: 1 });
    const path = stage.module(PATIENT);
    const [runs, waits] = [stage.start(path), stage.start(path)];
    await runs.attempt.said("began");
    waits.abort(false, "not needed");
    waits.abort(true, "not needed at all");
    await waits.attempt.whenSettled;
    expect(waits.attempt.story).toEqual(["settled"]);
  });

  it("CANCEL-1 does not begin what is not wanted any more", async () => {
    stage.setUp({ size: 1 });
    const { attempt } = stage.start(stage.module(PATIENT), { isWanted: false });
    expect(await attempt.outcome).toMatchObject({ failure: { class: "cancelled" } });
    expect([attempt.story, attempt.lines]).toEqual([["end", "settled"], []]);
  });
});

describe("idle", () => {
  it("CANCEL-2 resolves when nothing waits or runs", async () => {
    stage.setUp({ size: 1 });
    const path = stage.module(QUICK);
    const all = [1, 2, 3].map(() => stage.start(path));
    expect(stage.runner.commitDelayTicks).toBe(0);
    await stage.runner.idle();
    expect(all.map(({ attempt }) => attempt.story)).toEqual(all.map(() => ["end", "settled"]));
    await stage.runner.idle();
  });

  it("CANCEL-2 threads that had nothing to do for long are ended, and others started when they are needed", async () => {
    stage.setUp({ idleMs: 1 });
    const path = stage.module(QUICK);
    const first = toOutput(await stage.start(path).attempt.outcome) as { threadId: number };
    // The thread's own time began before this one.
    await stage.runner.idle();
    await setTimeout(10);
    const second = toOutput(await stage.start(path).attempt.outcome);
    expect(second).toMatchObject({ calls: 1 });
    expect(second).not.toMatchObject({ threadId: first.threadId });
    expect(stage.reports).toEqual([]);
  });
});
