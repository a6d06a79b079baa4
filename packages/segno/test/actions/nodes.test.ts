// Nodes that fail, hang, ignore their signal or return invalid values.

import { describe, expect, it } from "vitest";
import { PermanentError } from "@segno/kernel";
import { after, numbered, openBench, uuid } from "./sample-actions.ts";

describe("a node that throws", () => {
  it("FAIL-3 is tried again as often as its action says, each time under a higher epoch", async () => {
    await using bench = await openBench(() => {
      throw new Error("busy");
    });
    const run = await bench.executor().dispatch([numbered(1, { retryCount: 2 })]);
    await bench.test.advance("1h");
    await expect(run.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", failure: { message: "busy" } });
    expect(bench.noting.calls).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    expect(await bench.executor().status(numbered(1))).toMatchObject({ epoch: 3, status: "failed", isRevoked: false });
  });

  it("FAIL-2 is not tried again when trying will not help", async () => {
    await using bench = await openBench(() => {
      throw new PermanentError("never");
    });
    const execution = bench.executor().execute(numbered(1, { retryCount: 5 }));
    await expect(execution).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    expect(bench.noting.calls.length).toBe(1);
  });

  it.each([
    ["fail_fast", ["failed", "skipped", "succeeded", "skipped"]],
    ["continue_on_error", ["failed", "skipped", "succeeded", "succeeded"]],
  ] as const)("STATE-5 STATE-7 skips what depends on it, and with %s: %j", async (failureStrategy, expected) => {
    const begun = Promise.withResolvers<void>();
    await using bench = await openBench(async (given) => {
      if (given.actionId === uuid(1)) await begun.promise;
      if (given.actionId === uuid(1)) throw new PermanentError("never");
      if (given.actionId === uuid(3)) begun.resolve();
      return given.epoch;
    });
    const executor = bench.executor();
    const plan = [after(1), after(2, 1), after(3), after(4, 3, 5), after(5)];
    const run = await executor.dispatch(plan, { failureStrategy, concurrency: 2 });
    await expect(run.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    const statuses = await Promise.all(plan.slice(0, 4).map(async (each) => (await executor.status(each))?.status));
    expect(statuses).toEqual(expected);
  });

  it("LEASE-4 OPTION_INVALID an option of a dispatch that does not exist, or cannot be, is refused", async () => {
    await using bench = await openBench();
    const dispatched = (options: object) => bench.executor().dispatch([after(1)], options);
    await expect(dispatched({ concurency: 1 })).rejects.toThrow("did you mean `concurrency`?");
    await expect(dispatched({ failureStrategy: "stop" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("LEASE-2 runs again under a higher epoch when its plan is retried; what was done stays done", async () => {
    let isBroken = true;
    await using bench = await openBench((given) => {
      if (isBroken && given.actionId === uuid(2)) throw new PermanentError("never");
      return given.epoch;
    });
    const run = await bench.executor().dispatch([after(1), after(2, 1)]);
    await expect(run.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    isBroken = false;
    await run.retry();
    expect(await run.result()).toEqual({ [uuid(1)]: 1, [uuid(2)]: 2 });
    expect(bench.noting.calls).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
  });
});

describe("a node that does not end", () => {
  it("FAIL-4 fails its action at the action's timeout, and a late result counts for nothing", async () => {
    const late: (() => void)[] = [];
    await using bench = await openBench(() => new Promise((resolve) => late.push(() => resolve("late"))));
    const executor = bench.executor();
    const run = await executor.dispatch([numbered(1, { timeoutMs: 100 })]);
    await bench.test.advance(500);
    late[0]!();
    await bench.test.untilIdle();
    await expect(run.result()).rejects.toMatchObject({ failure: { class: "timeout" } });
    expect(await executor.status(numbered(1))).toMatchObject({ status: "failed", epoch: 1 });
  });

  it("CANCEL-2 and ignores its signal is given up when its plan is cancelled", async () => {
    await using bench = await openBench(() => new Promise(() => undefined));
    const run = await bench.executor().dispatch([numbered(1, { timeoutMs: 300_000 })]);
    await bench.test.untilIdle();
    await run.cancel();
    await bench.test.advance("5s");
    await expect(run.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  });
});

describe("what a node gives back", () => {
  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a number that is none", Number.NaN],
    ["a circle", circle()],
  ])("DATA-8 that is %s fails its action", async (_, output) => {
    await using bench = await openBench(() => output);
    const execution = bench.executor().execute(numbered(1));
    await expect(execution).rejects.toMatchObject({ failure: { code: "OUTPUT_NOT_JSON" } });
  });

  it("DATA-8 is null where it is nothing", async () => {
    await using bench = await openBench(() => undefined);
    expect(await bench.executor().execute(numbered(1))).toBeNull();
  });
});

function circle(): object {
  const made: { self?: object } = {};
  made.self = made;
  return made;
}
