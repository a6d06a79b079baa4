// Plans and actions that are refused before anything runs.

import { describe, expect, it } from "vitest";
import { ActionExecutor, readAction } from "../../src/index.ts";
import { after, numbered, openBench, findProblems, throughJson, uuid, WORKFLOW } from "./sample-actions.ts";

const OTHER = { payload: { workflow_id: uuid(998) } };

describe("a plan", () => {
  it.each<[string, unknown, readonly (readonly [string, string])[]]>([
    ["something else", 7, [["wrong-type", "$"]]],
    ["nothing", null, [["wrong-type", "$"]]],
    ["a result without actions", { actionsEmitted: "none" }, [["wrong-type", "$"]]],
    ["copies of actions", [numbered(1), { ...numbered(2) }], [["not-a-model", "actions[1]"]]],
    ["an action twice", [numbered(1), numbered(1)], [["duplicate-action", "actions[1].actionId"]]],
    ["a dependency that is not in it", [after(2, 1)], [["unknown-dependency", "actions[0].dependencies[0]"]]],
    ["an unknown node", [numbered(1, { targetNodeType: "NodeX" })], [["unknown-node", "actions[0].targetNodeType"]]],
    [
      "the name of a prototype",
      [numbered(1, { targetNodeType: "constructor" })],
      [["unknown-node", "actions[0].targetNodeType"]],
    ],
    ["no workflow", [numbered(1, { payload: {} })], [["missing", "actions[0].payload.workflow_id"]]],
    [
      "a broken workflow",
      [numbered(1, { payload: { workflow_id: "\u0000" } })],
      [["missing", "actions[0].payload.workflow_id"]],
    ],
    ["two workflows", [numbered(1), numbered(2, OTHER)], [["mixed-workflows", "actions[1].payload.workflow_id"]]],
    [
      "several of these",
      [numbered(1, { targetNodeType: "NodeX" }), after(2, 3, 1, 4)],
      [
        ["unknown-node", "actions[0].targetNodeType"],
        ["unknown-dependency", "actions[1].dependencies[0]"],
        ["unknown-dependency", "actions[1].dependencies[2]"],
      ],
    ],
  ])("PLAN-22 of %s is refused with all that is wrong (VALIDATION_ERROR)", async (_, plan, problems) => {
    await using bench = await openBench();
    const dispatching = bench.executor().dispatch(plan as never);
    await expect(dispatching).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect(await findProblems(dispatching)).toEqual(problems);
    expect((await bench.test.engine.list()).executions).toEqual([]);
  });

  it("GRAPH-1 whose actions wait for each other is refused (DEFINITION_INVALID)", async () => {
    await using bench = await openBench();
    const dispatching = bench.executor().dispatch([after(1, 2), after(2, 1)]);
    await expect(dispatching).rejects.toMatchObject({ code: "DEFINITION_INVALID" });
  });

  it("GRAPH-3 may name a dependency twice", async () => {
    await using bench = await openBench();
    const run = await bench.executor().dispatch([after(1), after(2, 1, 1)]);
    expect(Object.keys(await run.result())).toEqual([uuid(1), uuid(2)]);
  });

  it("LEASE-2 a plan that was refused can be dispatched when it is mended", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    await expect(executor.dispatch([after(2, 1)])).rejects.toThrow("is not in the plan");
    await (await executor.dispatch([after(1), after(2, 1)])).result();
    expect(bench.noting.calls.length).toBe(2);
  });
});

describe("a node", () => {
  it("LEASE-2 that is not a function is refused at once (OPTION_INVALID)", async () => {
    await using bench = await openBench();
    const make = (): unknown => new ActionExecutor(bench.test.engine, { NodeCompute: 7 as never });
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }) as Error);
  });
});

describe("an action that was planned", () => {
  it("PLAN-4 cannot be changed on its way to its node, however deep", async () => {
    const thrown: unknown[] = [];
    await using bench = await openBench((given) => {
      for (const change of [
        () => Object.assign(given, { epoch: 9 }),
        () => Object.assign(given.payload, { workflow_id: "mine" }),
        () => (given.dependencies as string[]).push("mine"),
      ])
        try {
          change();
        } catch (error) {
          thrown.push((error as Error).name);
        }
      return given.payload;
    });
    expect(await bench.executor().execute(numbered(1))).toEqual(throughJson(numbered(1).payload));
    expect(thrown).toEqual(["TypeError", "TypeError", "TypeError"]);
  });
});

describe("an action that comes as JSON", () => {
  it("PLAN-22 is built again, and is then the same delivery as the planner's own", async () => {
    await using bench = await openBench();
    const executor = bench.executor();
    const arrived = readAction(throughJson(numbered(1)));
    expect(arrived).toEqual(numbered(1));
    await executor.execute(arrived);
    await expect(executor.execute(numbered(1))).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect(await (await executor.dispatch([readAction(throughJson(numbered(1)))])).result()).toEqual({ [uuid(1)]: 1 });
  });

  it.each<[string, unknown, readonly string[]]>([
    ["an id that is missing", { ...numbered(1), actionId: undefined }, ["actionId"]],
    ["a time that is missing", { ...numbered(1), createdAt: undefined }, ["createdAt"]],
    ["a lease that is missing", { ...numbered(1), leaseId: undefined }, ["leaseId"]],
    ["a field too many", { ...numbered(1), isTrusted: true }, ["isTrusted"]],
    ["an epoch below zero", { ...numbered(1), epoch: -1 }, ["epoch"]],
    ["an epoch in text", { ...numbered(1), epoch: "0" }, ["epoch"]],
    ["two of these", { ...numbered(1), epoch: -1, actionId: 7 }, ["actionId", "epoch"]],
  ])("PLAN-22 %s is refused with all that is wrong (VALIDATION_ERROR)", async (_, given, paths) => {
    const reading = Promise.resolve().then(() => readAction(throughJson(given)));
    await expect(reading).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect((await findProblems(reading)).map(([, path]) => path)).toEqual(paths);
  });

  it.each([null, 7, "text", [], true])("PLAN-22 %j is none (VALIDATION_ERROR)", (given) => {
    expect(() => readAction(given)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }) as Error);
  });

  it("LEASE-1 with an epoch that somebody raised on the way is refused", async () => {
    await using bench = await openBench();
    const raised = readAction({ ...numbered(1), epoch: 1 });
    expect(raised.payload["workflow_id"]).toBe(WORKFLOW);
    await expect(bench.executor().execute(raised)).rejects.toMatchObject({ code: "LEASE_EXPIRED" });
  });
});
