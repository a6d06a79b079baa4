// Workflows that nobody validated: ids that several steps have, steps that wait for themselves, ids in other letters.

import { getExecutionOrder, validateWorkflowDefinition, workflowStep, type WorkflowStep } from "@segno/planner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  definition,
  graph,
  outline,
  plan,
  listProblems,
  reasons,
  PlannerFixture,
  step,
  stepFields,
  stepId,
  type StepFields,
} from "../fixture.ts";

const row = fc.record({
  name: fc.constantFrom("a", "b", "c", "d"),
  after: fc.array(fc.constantFrom("a", "b", "c", "d", "gone"), { maxLength: 3 }),
  enabled: fc.nat(3).map((chance) => chance > 0),
  errorAction: fc.constantFrom("stop" as const, "continue" as const),
});

const LETTERS = "abcdefab-cdef-4abc-8def-abcdefabcdef";

function waiting(name: string, id: string, fields: Partial<StepFields> = {}): WorkflowStep {
  return workflowStep({ ...stepFields(name), dependsOn: [id], ...fields }, new PlannerFixture());
}

/** A step whose id is written in capital letters, and one that waits for it in small ones. */
function inOtherLetters(): WorkflowStep[] {
  return [step("one", { stepId: LETTERS.toUpperCase() }), waiting("two", LETTERS)];
}

describe("a workflow that was not validated", () => {
  it("PLAN-9 PLAN-17 is planned to its end, whatever ids repeat and whoever waits for itself", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), fc.boolean(), async (rows, goesOn) => {
        const steps = rows.map(({ name, ...written }) => step(name, written));
        const result = await plan(steps, { failureStrategy: goesOn ? "continue_on_error" : "fail_fast" });
        const { completedSteps, failedSteps, skippedSteps } = result;
        expect(completedSteps.length + failedSteps.length + skippedSteps.length).toBe(rows.length);
      }),
      { numRuns: 2000 },
    );
  });

  it("PLAN-9 says of a step whose dependency another step has the id of what it waited for", async () => {
    const { metadata } = await plan(graph("a(a) a"));
    const message = `it depends on ${stepId("a")}, an id that several steps have`;
    expect(metadata["errors"]).toEqual([{ step_id: stepId("a"), error_type: "unmet-dependency", message }]);
  });
});

describe("ids", () => {
  it("GRAPH-7 PLAN-5 are compared by value and kept as they are written", async () => {
    const steps = inOtherLetters();
    expect(() => validateWorkflowDefinition(definition(), steps)).not.toThrow();
    expect(getExecutionOrder(steps.toReversed())).toEqual(steps.map((each) => each.stepId));
    const { completedSteps, actionsEmitted } = await plan(steps);
    expect(completedSteps[0]).toBe(LETTERS.toUpperCase());
    expect(actionsEmitted[1]!.dependencies).toEqual([actionsEmitted[0]!.actionId]);
    expect(actionsEmitted[0]!.payload["step_id"]).toBe(LETTERS.toUpperCase());
  });

  it("GRAPH-7 are repeated when they differ in their letters only", () => {
    const steps = [step("one", { stepId: LETTERS.toUpperCase() }), step("two", { stepId: LETTERS })];
    expect(reasons(listProblems(() => validateWorkflowDefinition(definition(), steps)))).toEqual(["duplicate-step"]);
  });

  it("GRAPH-1 close a cycle in whatever letters they are written", () => {
    const steps = [waiting("one", LETTERS.toUpperCase(), { stepId: LETTERS })];
    expect(listProblems(() => validateWorkflowDefinition(definition(), steps))).toMatchObject([
      { reason: "cycle", path: "steps[0].dependsOn[0]" },
    ]);
  });

  it("PLAN-20 GRAPH-5 name what failed downstream, and what is disabled, in any letters", async () => {
    const failed = await plan(inOtherLetters(), { failedSteps: [LETTERS] });
    expect(outline(failed)).toMatchObject({ status: "failed", completed: [] });
    const [one, two] = inOtherLetters();
    const off = step("one", { stepId: one!.stepId, enabled: false });
    expect((await plan([off, two!])).completedSteps).toEqual([two!.stepId]);
  });
});
