// The metadata of a result, and the internals that it does not show.

import { describe, expect, it } from "vitest";
import { definition, failing, graph, plan, PlannerFixture, step, stepId, unfrozen, WORKFLOW_ID } from "../fixture.ts";

const INTERNALS = /wave|step_?to_?action|graph|in_?degree|topolog/iu;

describe("a result", () => {
  it("PLAN-1 has exactly these fields", async () => {
    expect(Object.keys(await plan(graph("a"))).toSorted()).toEqual([
      "actionsEmitted",
      "completedSteps",
      "executionStatus",
      "executionTimeMs",
      "failedSteps",
      "metadata",
      "skippedSteps",
      "timestamp",
      "workflowId",
    ]);
  });

  it("PLAN-1 names the workflow that was given", async () => {
    expect((await plan([])).workflowId).toBe(WORKFLOW_ID);
  });

  it("PLAN-1 is frozen, however deep, also when it failed", async () => {
    expect(unfrozen(await plan(graph("a b(a)"), { executionMode: "batch" }))).toEqual([]);
    expect(unfrozen(await plan(graph("a b(a)"), { payloadFor: failing("b") }))).toEqual([]);
  });

  it("PLAN-1 is JSON: it survives being written and read", async () => {
    for (const payloadFor of [failing(), failing("b")]) {
      const result = await plan(graph("a b(a) c"), { payloadFor });
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    }
  });
});

describe("the metadata of a result", () => {
  it("PLAN-15 is the mode and the workflow's name, and nothing else", async () => {
    const { metadata } = await plan(graph("a b(a) c"), { executionMode: "parallel" });
    expect(metadata).toEqual({ execution_mode: "parallel", workflow_name: "pipeline" });
  });

  it("PLAN-15 has the size besides in batch mode", async () => {
    const { metadata } = await plan(graph("a b(a)"), { executionMode: "batch" });
    expect(metadata).toEqual({ execution_mode: "batch", workflow_name: "pipeline", batch_size: 2 });
  });

  it("PLAN-15 has the errors besides when there are some", async () => {
    const { metadata } = await plan(graph("a"), { payloadFor: failing("a") });
    expect(Object.keys(metadata).toSorted()).toEqual(["errors", "execution_mode", "workflow_name"]);
  });

  it("PLAN-15 has the name of the definition, whatever it is", async () => {
    const of = definition({ workflowName: "__proto__" });
    expect((await plan([], {}, of)).metadata["workflow_name"]).toBe("__proto__");
  });

  it("PLAN-15 a result tells nothing of waves, maps or graphs, neither in actions nor in errors", async () => {
    const fixture = new PlannerFixture();
    const results = await Promise.all([
      plan(graph("a b(a) c(b) d"), { executionMode: "parallel" }),
      plan(graph("a b(a) c(b) d"), { payloadFor: failing("d"), failureStrategy: "continue_on_error" }),
      plan([step("a", { errorAction: "continue" }), step("b", { after: ["a"] })], { payloadFor: failing("a") }),
      plan(graph("a b(a) c"), { now: fixture.now, payloadFor: fixture.taking(100), globalTimeoutMs: 100 }),
    ]);
    for (const result of results) expect(JSON.stringify(result)).not.toMatch(INTERNALS);
  });
});

describe("errors in the metadata", () => {
  it("PLAN-19 have step_id, error_type and message, all texts, and nothing else", async () => {
    const { metadata } = await plan(graph("a"), { payloadFor: failing("a") });
    expect(metadata["errors"]).toEqual([
      { step_id: stepId("a"), error_type: expect.stringMatching(/./u), message: expect.stringMatching(/./u) },
    ]);
  });

  it("PLAN-19 are there for a failure reported downstream", async () => {
    const { metadata } = await plan(graph("a"), { failedSteps: [stepId("a")] });
    expect(metadata["errors"]).toEqual([expect.objectContaining({ step_id: stepId("a") })]);
  });

  it("PLAN-19 are there for an unmet dependency", async () => {
    const steps = [step("a", { errorAction: "continue" }), step("b", { after: ["a"] })];
    const { metadata } = await plan(steps, { payloadFor: failing("a") });
    const errors = metadata["errors"] as readonly { readonly step_id: string; readonly error_type: string }[];
    expect(errors.map(({ step_id }) => step_id).toSorted()).toEqual([stepId("a"), stepId("b")]);
    expect(new Set(errors.map(({ error_type }) => error_type)).size).toBe(2);
  });

  it("PLAN-19 are not there where nothing failed", async () => {
    const steps = [step("a"), step("b", { enabled: false })];
    expect((await plan(steps)).metadata["errors"] ?? []).toEqual([]);
  });
});
