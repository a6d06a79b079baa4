// Text with half of a surrogate pair: no hash can be made of it, and nobody could send it on.

import { orchestratorInput, workflowDefinition, workflowNode, workflowStep } from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definitionFields,
  graph,
  outline,
  plan,
  listProblems,
  PlannerFixture,
  stepFields,
  WORKFLOW_ID,
} from "../fixture.ts";

const HALF = "a\uD800b";

describe("half of a surrogate pair", () => {
  it("PLAN-22 is refused in the texts of models, with its place", () => {
    const fixture = new PlannerFixture();
    const made: readonly [string, () => unknown][] = [
      ["stepName", () => workflowStep(stepFields("a", { stepName: HALF }), fixture)],
      ["parallelGroup", () => workflowStep(stepFields("a", { parallelGroup: HALF }), fixture)],
      ["workflowMetadata.workflowName", () => workflowDefinition(definitionFields({ workflowName: HALF }))],
      ["workflowMetadata.description", () => workflowDefinition(definitionFields({ description: HALF }))],
      ["nodeId", () => workflowNode({ nodeId: HALF, nodeType: "t" })],
      ["metadata.x", () => orchestratorInput({ workflowId: WORKFLOW_ID, steps: [], metadata: { x: HALF } }, fixture)],
    ];
    for (const [path, make] of made) expect(listProblems(make)).toMatchObject([{ path }]);
  });

  it("PLAN-7 fails the step whose payload has it, as a value and as a key", async () => {
    for (const payload of [{ x: HALF }, { x: { [HALF]: 1 } }, { list: ["fine", HALF] }]) {
      const result = await plan(graph("a"), { payloadFor: () => payload });
      expect(outline(result)).toMatchObject({ completed: [], failed: ["a"] });
      expect(result.metadata["errors"]).toMatchObject([{ error_type: "not-json" }]);
    }
  });

  it("PLAN-22 whole pairs are text like any other", async () => {
    const result = await plan([workflowStep(stepFields("a", { stepName: "🎼" }), new PlannerFixture())]);
    expect(result.actionsEmitted[0]!.payload["step_name"]).toBe("🎼");
  });
});
