// Leases and epochs of actions, as far as the orchestrator has to do with them.

import { action, NodeOrchestrator, orchestratorInput } from "@segno/planner";
import { describe, expect, it } from "vitest";
import { definition, failing, graph, plan, PlannerFixture, step, UUID, WORKFLOW_ID } from "../fixture.ts";

describe("the lease of an action", () => {
  it("LEASE-2 PLAN-4 is its own: no two actions share one, and none is an action's or the workflow's id", async () => {
    const { actionsEmitted } = await plan(graph("a b c(a) d(b)"), { executionMode: "parallel" });
    const leases = new Set(actionsEmitted.map(({ leaseId }) => leaseId));
    expect(leases.size).toBe(4);
    for (const lease of leases) expect(lease).toMatch(UUID);
    for (const { actionId } of actionsEmitted) expect(leases.has(actionId)).toBe(false);
    expect(leases.has(WORKFLOW_ID)).toBe(false);
  });

  it("LEASE-2 PLAN-4 is a new one in each run", async () => {
    const { newId } = new PlannerFixture();
    const leases = [await plan(graph("a"), { newId }), await plan(graph("a"), { newId })].map(
      ({ actionsEmitted }) => actionsEmitted[0]!.leaseId,
    );
    expect(leases[0]).not.toBe(leases[1]);
  });
});

describe("the epoch of an action", () => {
  it("LEASE-2 PLAN-4 is 0 for every new action, in every mode", async () => {
    for (const executionMode of ["sequential", "parallel", "batch"] as const) {
      const { actionsEmitted } = await plan(graph("a b(a) c"), { executionMode });
      expect(actionsEmitted.map(({ epoch }) => epoch)).toEqual([0, 0, 0]);
    }
  });

  it("LEASE-2 is not raised by retries that a step allows, nor by failures around it", async () => {
    const steps = [step("a", { errorAction: "retry", retryCount: 10 }), step("b", { retryCount: 10 })];
    const { actionsEmitted } = await plan(steps, { payloadFor: failing("a") });
    expect(actionsEmitted.map(({ epoch }) => epoch)).toEqual([0]);
  });

  it("LEASE-2 PLAN-18 is not raised by processing the same workflow again", async () => {
    const fixture = new PlannerFixture();
    const orchestrator = new NodeOrchestrator(fixture);
    orchestrator.workflowDefinition = definition();
    const input = orchestratorInput({ workflowId: WORKFLOW_ID, steps: graph("a b") }, fixture);
    await orchestrator.process(input);
    const { actionsEmitted } = await orchestrator.process(input);
    expect(actionsEmitted.map(({ epoch }) => epoch)).toEqual([0, 0]);
  });

  it("LEASE-2 can be written by whoever executes: the model takes any number from 0", () => {
    const least = { actionType: "compute", targetNodeType: "NodeCompute", leaseId: WORKFLOW_ID } as const;
    expect(action({ ...least, epoch: 41 }, new PlannerFixture()).epoch).toBe(41);
  });
});
