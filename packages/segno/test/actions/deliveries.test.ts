// Deliveries of single actions: which of them run, and which are refused (LEASE-1 to LEASE-4).

import { describe, expect, it } from "vitest";
import { EpochConflictError, LeaseExpiredError, type ActionNode } from "../../src/index.ts";
import { after, numbered, openBench, uuid } from "./sample-actions.ts";

/** Ends when its signal aborts. */
const untilStopped: ActionNode = (_, { signal }) =>
  new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("one action that is executed", () => {
  it("LEASE-2 gives back what its node gave, and does not wait for what it depends on", async () => {
    await using bench = await openBench();
    expect(await bench.executor().execute(after(2, 1))).toBe(2);
    expect(bench.noting.calls).toEqual([[2, 1]]);
  });

  it("LEASE-2 is refused when it comes again, with the epochs that disagree (EPOCH_CONFLICT)", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await executor.execute(numbered(1));
    const refusal = await executor.execute(numbered(1)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EpochConflictError);
    expect(refusal).toMatchObject({ code: "EPOCH_CONFLICT", actionId: uuid(1), epoch: 0, currentEpoch: 2 });
    expect(String(refusal)).toContain("its epoch is 2");
    expect(bench.noting.calls.length).toBe(1);
  });

  it("LEASE-4 runs once however many deliveries come together, of one or of two executors", async () => {
    await using bench = await openBench();
    const executors = [bench.executor(), bench.executor()];
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => executors[index % 2]!.execute(numbered(1))),
    );
    expect(settled.filter(({ status }) => status === "fulfilled").length).toBe(1);
    for (const each of settled) if (each.status === "rejected") expect(each.reason).toBeInstanceOf(EpochConflictError);
    expect(bench.noting.calls).toEqual([[1, 1]]);
  });

  it("LEASE-4 is refused while the engine runs it, whatever epoch it comes with", async () => {
    await using bench = await openBench(() => new Promise(() => undefined));
    const executor = bench.executor();
    await executor.dispatch([numbered(1)]);
    await bench.test.untilIdle();
    for (const epoch of [0, 1, 2, 3])
      await expect(executor.execute(numbered(1, { epoch }))).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect(bench.noting.calls.length).toBe(1);
  });

  it("LEASE-4 is refused when it is part of a plan, done or not yet begun", async () => {
    await using bench = await openBench(({ actionId }) => (actionId === uuid(1) ? 1 : new Promise(() => undefined)));
    const executor = bench.executor();
    const plan = [after(1), after(2, 1), after(3, 2)];
    await executor.dispatch(plan);
    await bench.test.untilIdle();
    const epochs = await Promise.all(plan.map(async (each) => (await executor.status(each))?.epoch));
    expect(epochs).toEqual([2, 1, 1]);
    for (const each of plan) await expect(executor.execute(each)).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
  });

  it("LEASE-4 keeps a plan that holds it from being dispatched", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await executor.execute(numbered(1));
    await expect(executor.dispatch([after(1), after(2, 1)])).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect(bench.noting.calls.length).toBe(1);
  });
});

describe("a lease", () => {
  it("LEASE-1 of somebody else is refused, whether the action is done or not (LEASE_EXPIRED)", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await executor.execute(numbered(1));
    const refusal = await executor.execute(numbered(1, { leaseId: uuid(666) })).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LeaseExpiredError);
    expect(refusal).toMatchObject({ code: "LEASE_EXPIRED", actionId: uuid(1) });
  });

  it("LEASE-1 is the same whatever the case of its letters", async () => {
    await using bench = await openBench(() => "done");
    const executor = bench.executor();
    const id = "abcdefab-0000-4000-8000-00000000000a";
    const lower = numbered(1, { actionId: id, leaseId: id });
    const upper = numbered(1, { actionId: id.toUpperCase(), leaseId: id.toUpperCase() });
    await executor.execute(lower);
    await expect(executor.execute(upper)).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
  });

  it("LEASE-3 is revoked when the plan is cancelled: nothing of it starts, and deliveries are refused", async () => {
    await using bench = await openBench(untilStopped);
    const executor = bench.executor();
    const plan = [after(1), after(2, 1)];
    const run = await executor.dispatch(plan);
    await bench.test.untilIdle();
    await run.cancel();
    await bench.test.untilIdle();
    expect((await executor.status(plan[1]!))?.isRevoked).toBe(true);
    for (const each of plan) await expect(executor.execute(each)).rejects.toBeInstanceOf(LeaseExpiredError);
    await expect(executor.dispatch(plan)).rejects.toBeInstanceOf(LeaseExpiredError);
    expect(bench.noting.calls).toEqual([[1, 1]]);
  });

  it("LEASE-1 whose claims nobody here knows is refused, and nothing runs (LEASE_EXPIRED)", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    const claimed = numbered(1, { epoch: 3 });
    await expect(executor.execute(claimed)).rejects.toBeInstanceOf(LeaseExpiredError);
    await expect(executor.dispatch([numbered(2), claimed])).rejects.toBeInstanceOf(LeaseExpiredError);
    expect(bench.noting.calls).toEqual([]);
    expect((await bench.test.engine.list()).executions).toEqual([]);
  });
});

describe("a crash between claim and success", () => {
  it("LEASE-3 makes the action run again under a higher epoch, and what it was delivered with is refused", async () => {
    const held: (() => void)[] = [];
    await using bench = await openBench((given) => new Promise((resolve) => held.push(() => resolve(given.epoch))));
    const run = await bench.executor().dispatch([numbered(1)]);
    await bench.test.untilIdle();
    await bench.test.crash();
    const executor = bench.executor();
    await bench.test.untilIdle();
    expect(bench.noting.calls).toEqual([
      [1, 1],
      [1, 2],
    ]);
    await expect(executor.execute(numbered(1))).rejects.toMatchObject({ code: "EPOCH_CONFLICT", currentEpoch: 2 });
    // The attempt of the dead process reports success, which is ignored.
    held[0]!();
    await bench.test.untilIdle();
    expect(await executor.status(numbered(1))).toMatchObject({ epoch: 2, status: "running" });
    held[1]!();
    expect(await (await bench.test.get(run.id)).result()).toEqual({ [uuid(1)]: 2 });
    expect(await executor.status(numbered(1))).toMatchObject({ epoch: 3, status: "succeeded" });
  });
});
