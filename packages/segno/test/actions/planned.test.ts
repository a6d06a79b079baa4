// From steps to results: the executor runs exactly the actions that the planner emits, for any graph.

import { executeWorkflow, workflowDefinition, workflowStep, type WorkflowStep } from "@segno/planner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toNumber, openBench, uuid, WORKFLOW } from "./sample-actions.ts";

const version = { major: 1, minor: 0, patch: 0 };
const definition = workflowDefinition({
  version,
  workflowMetadata: {
    version,
    workflowName: "planned",
    workflowVersion: version,
    description: "",
    executionMode: "parallel",
  },
  executionGraph: { version },
});

interface Shape {
  readonly needs: readonly number[];
  readonly enabled: boolean;
}

/** Steps that depend only on earlier ones. */
const shapes: fc.Arbitrary<readonly Shape[]> = fc
  .array(fc.record({ needs: fc.array(fc.nat(99), { maxLength: 3 }), enabled: fc.boolean() }), { maxLength: 12 })
  .map((list) => list.map(({ needs, enabled }, index) => ({ enabled, needs: needs.filter((each) => each < index) })));

function listSteps(list: readonly Shape[]): readonly WorkflowStep[] {
  return list.map(({ needs, enabled }, index) =>
    workflowStep(
      {
        stepId: uuid(index + 500),
        correlationId: uuid(index + 600),
        stepName: `step ${index}`,
        stepType: "compute",
        dependsOn: [...new Set(needs)].map((each) => uuid(each + 500)),
        enabled,
      },
      { newId: () => uuid(0) },
    ),
  );
}

/** Sequential ids, so that a run is reproducible. */
function sources() {
  let last = 0;
  return { newId: () => uuid(++last), now: () => 0 };
}

describe("what the planner emits", () => {
  it("LEASE-2 LEASE-4 runs once each, none before what it depends on, and then no delivery of it runs", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (list) => {
        await using bench = await openBench();
        const executor = bench.executor();
        const plan = await executeWorkflow(definition, listSteps(list), WORKFLOW, sources());
        const run = await executor.dispatch(plan);
        expect(Object.keys(await run.result()).length).toBe(plan.actionsEmitted.length);
        const order = bench.noting.calls.map(([number]) => number);
        expect(new Set(order)).toEqual(new Set(plan.actionsEmitted.map(toNumber)));
        for (const { actionId, dependencies } of plan.actionsEmitted)
          for (const each of dependencies)
            expect(order.indexOf(toNumber({ actionId: each }))).toBeLessThan(order.indexOf(toNumber({ actionId })));
        for (const each of plan.actionsEmitted)
          await expect(executor.execute(each)).rejects.toMatchObject({ code: "EPOCH_CONFLICT", currentEpoch: 2 });
        expect(bench.noting.calls.length).toBe(plan.actionsEmitted.length);
      }),
      { numRuns: 30 },
    );
  });
});
