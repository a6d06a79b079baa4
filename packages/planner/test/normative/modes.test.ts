// Execution modes: which are taken, whose word counts, and when.

import { executeWorkflow, ExecutionMode, validateWorkflowDefinition } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  graph,
  plan,
  listProblems,
  reasons,
  catchRefusal,
  PlannerFixture,
  WORKFLOW_ID,
} from "../fixture.ts";

const RESERVED = [ExecutionMode.CONDITIONAL, ExecutionMode.STREAMING] as const;
const TAKEN = [ExecutionMode.SEQUENTIAL, ExecutionMode.PARALLEL, ExecutionMode.BATCH] as const;

describe.each(RESERVED)("the reserved mode %s", (executionMode) => {
  it("PLAN-2 is refused as an option", async () => {
    expect(reasons(await catchRefusal(plan(graph("a"), { executionMode })))).toEqual(["reserved-mode"]);
  });

  it("PLAN-2 is refused for an empty workflow too", async () => {
    expect(reasons(await catchRefusal(plan([], { executionMode })))).toEqual(["reserved-mode"]);
  });

  it("PLAN-2 is refused when it comes from the definition", async () => {
    const attempt = async (): Promise<unknown> => plan([], {}, definition({ executionMode }));
    expect(reasons(await catchRefusal(attempt()))).toEqual(["reserved-mode"]);
  });

  it("PLAN-2 in the definition is beaten by the option", async () => {
    const result = await plan(graph("a"), { executionMode: "parallel" }, definition({ executionMode }));
    expect(result.executionStatus).toBe("completed");
  });

  it("PLAN-2 PLAN-17 in the definition is found by validation", () => {
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition({ executionMode }), [])))).toEqual([
      "reserved-mode",
    ]);
  });

  it("PLAN-2 is refused before anything else is looked at", async () => {
    const touched = (): never => {
      throw new Error("touched");
    };
    const steps = [{ stepName: "plain" }] as never;
    const sources = { newId: touched, now: touched };
    const refused = executeWorkflow(definition(), steps, WORKFLOW_ID, { ...sources, executionMode });
    expect(reasons(await catchRefusal(refused))).toEqual(["reserved-mode"]);
  });
});

describe("the mode that counts", () => {
  it.each(TAKEN)("PLAN-2 %s is taken, from the option and from the definition", async (executionMode) => {
    expect((await plan(graph("a"), { executionMode })).metadata["execution_mode"]).toBe(executionMode);
    const written = await plan(graph("a"), {}, definition({ executionMode }));
    expect(written.metadata["execution_mode"]).toBe(executionMode);
  });

  it("PLAN-2 the option beats the definition, and that is no conflict", async () => {
    for (const mode of TAKEN)
      for (const other of TAKEN) {
        const result = await plan(graph("a"), { executionMode: mode }, definition({ executionMode: other }));
        expect(result.metadata["execution_mode"]).toBe(mode);
      }
  });

  it("PLAN-2 sequential is the default", async () => {
    expect((await plan(graph("a"))).metadata["execution_mode"]).toBe("sequential");
  });

  it("PLAN-2 a mode that does not exist is refused", async () => {
    const { newId, now } = new PlannerFixture();
    const options = { newId, now, executionMode: "turbo" as never };
    expect(await catchRefusal(executeWorkflow(definition(), graph("a"), WORKFLOW_ID, options))).not.toEqual([]);
  });

  it("PLAN-2 a mode that does not exist is refused in a definition, at the latest when it is planned", async () => {
    const attempt = async (): Promise<unknown> => plan(graph("a"), {}, definition({ executionMode: "turbo" as never }));
    expect(await catchRefusal(attempt())).not.toEqual([]);
  });
});

describe("batch mode", () => {
  it("PLAN-3 counts the steps", async () => {
    const { metadata } = await plan(graph("a b(a) c d"), { executionMode: "batch" });
    expect(metadata["batch_size"]).toBe(4);
  });

  it("PLAN-3 PLAN-13 counts none in an empty workflow", async () => {
    expect((await plan([], { executionMode: "batch" })).metadata["batch_size"]).toBe(0);
  });

  it.each(["sequential", "parallel"] as const)(
    "PLAN-3 no size of a batch is told in %s mode",
    async (executionMode) => {
      expect((await plan(graph("a"), { executionMode })).metadata).not.toHaveProperty("batch_size");
    },
  );
});

describe("no steps", () => {
  it.each(TAKEN)("PLAN-13 complete at once in %s mode, without an action", async (executionMode) => {
    expect(await plan([], { executionMode })).toMatchObject({
      executionStatus: "completed",
      completedSteps: [],
      failedSteps: [],
      skippedSteps: [],
      actionsEmitted: [],
    });
  });

  it("PLAN-13 are valid", () => {
    expect(() => validateWorkflowDefinition(definition(), [])).not.toThrow();
  });
});
