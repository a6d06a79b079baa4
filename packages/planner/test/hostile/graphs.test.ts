// Graphs that are too deep, too wide, tied in knots, or no lists at all.

import { getExecutionOrder, validateWorkflowDefinition, workflowStep, type WorkflowStep } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  graph,
  numberedId,
  outline,
  plan,
  listProblems,
  reasons,
  catchRefusal,
  PlannerFixture,
  step,
  stepId,
} from "../fixture.ts";

const MANY = 100_000;
const WIDE = 10_000;
const { newId } = new PlannerFixture();

function numbered(number: number, dependsOn: readonly string[]): WorkflowStep {
  const id = numberedId(number);
  return workflowStep(
    { stepId: id, correlationId: id, stepName: `s${number}`, stepType: "compute", dependsOn },
    { newId },
  );
}

const chain = (length: number): WorkflowStep[] =>
  Array.from({ length }, (_, index) => numbered(index, index === 0 ? [] : [numberedId(index - 1)]));

describe("a chain of 100,000 steps", () => {
  const forwards = chain(MANY);

  it("GRAPH-8 PLAN-17 validates and is ordered", () => {
    expect(() => validateWorkflowDefinition(definition(), forwards)).not.toThrow();
    expect(getExecutionOrder(forwards)).toHaveLength(MANY);
  });

  it("GRAPH-8 PLAN-3 is planned, also when it is declared last to first", async () => {
    for (const steps of [forwards, forwards.toReversed()]) {
      const result = await plan(steps);
      expect(result.executionStatus).toBe("completed");
      expect(result.completedSteps[0]).toBe(numberedId(0));
      expect(result.completedSteps.at(-1)).toBe(numberedId(MANY - 1));
      expect(result.actionsEmitted).toHaveLength(MANY);
      expect(result.actionsEmitted.at(-1)!.dependencies).toEqual([result.actionsEmitted.at(-2)!.actionId]);
    }
  });

  it("GRAPH-8 PLAN-9 fails as a whole when its first step fails and goes on", async () => {
    const failedSteps = [numberedId(0)];
    const result = await plan(forwards, { failedSteps, failureStrategy: "continue_on_error" });
    expect(result.failedSteps).toHaveLength(MANY);
    expect(result.metadata["errors"]).toHaveLength(MANY);
  });

  it("GRAPH-8 GRAPH-1 is refused when its ends are tied together", () => {
    const ring = [numbered(0, [numberedId(MANY - 1)]), ...forwards.slice(1)];
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition(), ring)))).toEqual(["cycle"]);
    expect(reasons(listProblems(() => getExecutionOrder(ring)))).toEqual(["cycle"]);
  });
});

describe("a fan of 10,000 steps", () => {
  const middle = Array.from({ length: WIDE }, (_, index) => numbered(index + 1, [numberedId(0)]));
  const end = numbered(WIDE + 1, middle.map((each) => each.stepId).toReversed());
  const fan = [end, numbered(0, []), ...middle];

  it("PLAN-3 GRAPH-2 is planned: the root, the middle as declared, the end", async () => {
    expect(() => validateWorkflowDefinition(definition(), fan)).not.toThrow();
    const result = await plan(fan, { executionMode: "parallel" });
    expect(result.completedSteps).toEqual(Array.from({ length: WIDE + 2 }, (_, index) => numberedId(index)));
  });

  it("PLAN-5 GRAPH-3 the end depends on all actions of the middle, as their steps were declared", async () => {
    const { actionsEmitted } = await plan(fan);
    expect(actionsEmitted.at(-1)!.dependencies).toEqual(actionsEmitted.slice(1, -1).map(({ actionId }) => actionId));
  });
});

describe("a list of steps that is none", () => {
  const LISTS: readonly [string, unknown][] = [
    ["a list with a hole", Object.assign([step("a")], { 2: step("b") })],
    ["a list of nothing but holes", Array.from({ length: 3 }).fill(undefined)],
    ["a set", new Set([step("a")])],
    ["something like a list", { length: 1, 0: step("a") }],
    ["a generator", [step("a")].values()],
    ["one step", step("a")],
    ["a text", "a"],
    ["null", null],
    ["undefined", undefined],
    ["a list of lists", [[step("a")]]],
    ["a list with null", [step("a"), null]],
  ];

  it.each(LISTS)("PLAN-22 %s is refused by executeWorkflow", async (_name, steps) => {
    expect(await catchRefusal(plan(steps as never))).not.toEqual([]);
  });

  it.each(LISTS)("PLAN-22 %s is refused by validation and ordering", (_name, steps) => {
    expect(listProblems(() => validateWorkflowDefinition(definition(), steps as never))).not.toEqual([]);
    expect(listProblems(() => getExecutionOrder(steps as never))).not.toEqual([]);
  });
});

describe("knots", () => {
  it("PLAN-9 PLAN-17 a step that depends on itself never gets an action", async () => {
    const result = await plan(graph("a(a) b"));
    expect(outline(result)).toEqual({ status: "failed", completed: ["b"], failed: ["a"], skipped: [] });
  });

  it("GRAPH-7 PLAN-17 the same step twice is refused by validation, and planning it ends all the same", async () => {
    const twice = step("a");
    const steps = [twice, twice, step("b", { after: ["a"] })];
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition(), steps)))).toEqual(["duplicate-step"]);
    const outcome = await plan(steps).catch((error: unknown) => error);
    expect(outcome).toSatisfy((value: unknown) => {
      const { code, executionStatus } = value as { readonly code?: string; readonly executionStatus?: string };
      return code === "VALIDATION_ERROR" || executionStatus === "completed" || executionStatus === "failed";
    });
  });

  it("GRAPH-1 ten thousand knots at once are all told", () => {
    const knots = Array.from({ length: WIDE }, (_, index) => numbered(index, [numberedId(index)]));
    expect(listProblems(() => validateWorkflowDefinition(definition(), knots))).toHaveLength(WIDE);
  });

  it("GRAPH-3 a dependency named ten thousand times counts once", async () => {
    const steps = [
      step("a"),
      workflowStep({ ...step("b"), dependsOn: Array.from({ length: WIDE }, () => stepId("a")) }, { newId }),
    ];
    expect((await plan(steps)).actionsEmitted[1]!.dependencies).toHaveLength(1);
  });
});
