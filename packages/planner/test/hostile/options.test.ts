// Options that are misspelt, or that cannot be: they are refused, never taken for nothing.

import { getExecutionOrder, NodeOrchestrator, orchestratorInput, type PlanOptions } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  graph,
  outline,
  plan,
  listProblems,
  reasons,
  catchRefusal,
  PlannerFixture,
  stepId,
  WORKFLOW_ID,
} from "../fixture.ts";

describe("an option of executeWorkflow", () => {
  it.each<[string, unknown, string]>([
    ["globalTimeoutMs", 0, "out-of-range"],
    ["globalTimeoutMs", -1, "out-of-range"],
    ["globalTimeoutMs", "5000", "wrong-type"],
    ["globalTimeoutMs", 0.5, "wrong-type"],
    ["globalTimeoutMs", Number.NaN, "wrong-type"],
    ["globalTimeoutMs", Number.POSITIVE_INFINITY, "wrong-type"],
    ["globalTimeoutMs", null, "wrong-type"],
    ["executionMode", "paralel", "unknown-mode"],
    ["failureStrategy", "fail-fast", "unknown-value"],
    ["payloadFor", {}, "wrong-type"],
    ["failedSteps", "a", "wrong-type"],
    ["failedSteps", ["a"], "not-a-uuid"],
    ["signal", true, "wrong-type"],
  ])("PLAN-1 %s cannot be %j", async (name, value, reason) => {
    const problems = await catchRefusal(plan(graph("a"), { [name]: value }));
    expect(reasons(problems)).toEqual([reason]);
    expect(problems[0]!.path).toContain(name);
  });

  it.each([
    ["globalTimeoutMS", "globalTimeoutMs"],
    ["execution_mode", "executionMode"],
    ["failedStep", "failedSteps"],
    ["payloadfor", "payloadFor"],
  ])("PLAN-1 %s is refused, and %s is suggested", async (misspelt, meant) => {
    const problems = await catchRefusal(plan(graph("a"), { [misspelt]: undefined }));
    expect(problems).toMatchObject([{ reason: "unknown-field", path: misspelt }]);
    expect(problems[0]!.message).toContain(`did you mean \`${meant}\`?`);
  });

  it("PLAN-1 that is inherited counts, and is refused when it is misspelt", async () => {
    const inherited = (options: object): PlanOptions => {
      const { newId, now } = new PlannerFixture();
      return Object.assign(Object.create(options) as PlanOptions, { newId, now });
    };
    const { executeWorkflow } = await import("@segno/planner");
    const run = (options: object) => executeWorkflow(definition(), graph("a b"), WORKFLOW_ID, inherited(options));
    expect(outline(await run({ failedSteps: [stepId("a")] })).failed).toEqual(["a"]);
    expect(reasons(await catchRefusal(run({ failedStep: [] })))).toEqual(["unknown-field"]);
  });

  it("PLAN-1 all that are wrong are told at once", async () => {
    const problems = await catchRefusal(plan([], { globalTimeoutMs: 0, mode: "batch", failureStrategy: 1 } as never));
    expect(reasons(problems)).toEqual(["unknown-field", "out-of-range", "wrong-type"]);
  });
});

describe("an option of the other calls", () => {
  it("PLAN-18 of process is refused when it belongs into the input, or nowhere", async () => {
    const orchestrator = new NodeOrchestrator(new PlannerFixture());
    orchestrator.workflowDefinition = definition();
    const input = orchestratorInput({ workflowId: WORKFLOW_ID, steps: graph("a") }, new PlannerFixture());
    const refused = async (options: object) => reasons(await catchRefusal(orchestrator.process(input, options)));
    expect(await refused({ executionMode: "batch" })).toEqual(["unknown-field"]);
    expect(await refused({ failedstep: [] })).toEqual(["unknown-field"]);
    expect(await refused({ payloadFor: 5 })).toEqual(["wrong-type"]);
  });

  it("GRAPH-1 of getExecutionOrder is refused when it is misspelt or unknown", () => {
    const refused = (options: object) => reasons(listProblems(() => getExecutionOrder(graph("a"), options)));
    expect(refused({ oncycle: "drop" })).toEqual(["unknown-field"]);
    expect(refused({ onCycle: "dropp" })).toEqual(["unknown-value"]);
  });
});
