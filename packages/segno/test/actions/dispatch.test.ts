// Dispatching a plan: one execution of the engine, whose steps are the actions.

import { describe, expect, it } from "vitest";
import { after, numbered, openBench, uuid, WORKFLOW } from "./sample-actions.ts";

const DIAMOND = [after(1), after(2, 1), after(3, 1), after(4, 2, 3)];

describe("a plan that is dispatched", () => {
  it("LEASE-2 runs every action once, under epoch 1, after those that it depends on", async () => {
    await using bench = await openBench();
    const run = await bench.executor().dispatch(DIAMOND);
    expect(await run.result()).toEqual({ [uuid(1)]: 1, [uuid(2)]: 2, [uuid(3)]: 3, [uuid(4)]: 4 });
    expect(bench.noting.calls).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  it("LEASE-2 gives a node what the actions before it gave back, by their ids", async () => {
    await using bench = await openBench((given, _, results) => ({ saw: results, of: given.payload["step_name"]! }));
    const run = await bench.executor().dispatch([after(1), after(2, 1)]);
    expect((await run.result())[uuid(2)]).toEqual({
      of: "step 2",
      saw: { [uuid(1)]: { of: "step 1", saw: {} } },
    });
  });

  it("LEASE-2 takes what the planner's functions give, whole", async () => {
    await using bench = await openBench();
    const run = await bench.executor().dispatch({ actionsEmitted: DIAMOND });
    await run.result();
    expect(bench.noting.calls.length).toBe(4);
  });

  it("PLAN-13 without actions completes at once", async () => {
    await using bench = await openBench();
    expect(await (await bench.executor().dispatch([])).result()).toEqual({});
  });
});

describe("what a plan that is dispatched keeps to", () => {
  it("LEASE-2 raises the epoch at the claim and at the recorded success, and the planner's action stays as it was", async () => {
    await using bench = await openBench();
    const given = numbered(1);
    const executor = bench.executor();
    expect(await executor.status(given)).toBeUndefined();
    const run = await executor.dispatch([given]);
    await run.result();
    expect(await executor.status(given)).toEqual({
      actionId: uuid(1),
      executionId: run.id,
      leaseId: uuid(101),
      isRevoked: false,
      epoch: 2,
      status: "succeeded",
      attempts: 1,
    });
    expect(given.epoch).toBe(0);
  });

  it("SCHED-1 runs no more actions at once than it is told", async () => {
    const peaks: number[] = [];
    let running = 0;
    await using bench = await openBench(async () => {
      peaks.push(++running);
      await Promise.resolve();
      running--;
    });
    const plan = [1, 2, 3].map((number) => numbered(number));
    await (await bench.executor().dispatch(plan, { concurrency: 1 })).result();
    expect([peaks, bench.noting.calls.map(([number]) => number)]).toEqual([
      [1, 1, 1],
      [1, 2, 3],
    ]);
  });

  it.each([0, 1.5, Number.NaN, "2"])("SCHED-1 with a concurrency of %j is refused (OPTION_INVALID)", async (given) => {
    await using bench = await openBench();
    const dispatching = bench.executor().dispatch(DIAMOND, { concurrency: given as number });
    await expect(dispatching).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("DATA-5 keeps every payload as it is, whatever an expression it looks like", async () => {
    await using bench = await openBench((given) => given.payload);
    const payload = { workflow_id: WORKFLOW, a: "${ secrets.token }", b: "$${x}", c: { "${k}": ["${", 1e300] } };
    const run = await bench.executor().dispatch([numbered(1, { payload })]);
    expect(await run.result()).toEqual({ [uuid(1)]: payload });
  });

  it("EVENT-1 is found by the workflow that it is a plan of", async () => {
    await using bench = await openBench();
    const run = await bench.executor().dispatch(DIAMOND);
    const { executions } = await bench.test.engine.list({ correlationId: WORKFLOW });
    expect(executions.map(({ id }) => id)).toEqual([run.id]);
  });
});

describe("the same plan dispatched again", () => {
  it("LEASE-4 is the same execution while it runs and after it has ended, in whatever order its actions come", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    const runs = await Promise.all([executor.dispatch(DIAMOND), executor.dispatch(DIAMOND.toReversed())]);
    await runs[0].result();
    const again = await executor.dispatch(DIAMOND);
    expect(await again.result()).toEqual(await runs[0].result());
    expect(new Set([...runs, again].map(({ id }) => id)).size).toBe(1);
    expect(bench.noting.calls.length).toBe(4);
  });

  it("LEASE-4 is the same execution for another executor of the engine", async () => {
    await using bench = await openBench();
    const runs = await Promise.all([bench.executor().dispatch(DIAMOND), bench.executor().dispatch(DIAMOND)]);
    await Promise.all(runs.map((run) => run.result()));
    expect(bench.noting.calls.length).toBe(4);
  });

  it("LEASE-4 is the same execution after a crash, and nothing that was done is done again", async () => {
    await using bench = await openBench();
    await (await bench.executor().dispatch(DIAMOND)).result();
    await bench.test.crash();
    expect(await (await bench.executor().dispatch(DIAMOND)).result()).toMatchObject({ [uuid(4)]: 4 });
    expect(bench.noting.calls.length).toBe(4);
  });

  it("IDEM-2 is refused when an action has changed since (IDEMPOTENCY_CONFLICT)", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await (await executor.dispatch([numbered(1)])).result();
    const changed = numbered(1, { payload: { workflow_id: WORKFLOW, amount: 1_000_000 } });
    await expect(executor.dispatch([changed])).rejects.toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
    expect(bench.noting.calls.length).toBe(1);
  });

  it("LEASE-1 is refused under another lease (LEASE_EXPIRED)", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await (await executor.dispatch(DIAMOND)).result();
    const [first, ...rest] = DIAMOND;
    const stolen = numbered(1, { ...first, leaseId: uuid(666) });
    await expect(executor.dispatch([stolen, ...rest])).rejects.toMatchObject({ code: "LEASE_EXPIRED" });
    expect(bench.noting.calls.length).toBe(4);
  });
});

describe("two plans with an action in common", () => {
  it("LEASE-4 the second is refused whole (EPOCH_CONFLICT), also after a crash; a new plan of the workflow is not", async () => {
    await using bench = await openBench();
    await (await bench.executor().dispatch(DIAMOND)).result();
    const overlapping = [after(5), after(4)];
    await expect(bench.executor().dispatch(overlapping)).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    await bench.test.crash();
    await expect(bench.executor().dispatch(overlapping)).rejects.toMatchObject({
      code: "EPOCH_CONFLICT",
      actionId: uuid(4),
      epoch: 0,
      currentEpoch: 2,
    });
    expect(await (await bench.executor().dispatch([after(5)])).result()).toEqual({ [uuid(5)]: 5 });
    expect(bench.noting.calls.map(([number]) => number)).toEqual([1, 2, 3, 4, 5]);
  });
});
