// The planner as people import it: ids and time are there, unless somebody brings their own.

import { describe, expect, it } from "vitest";
import * as pure from "@segno/planner";
import * as face from "./planner.ts";

const ID = "0f0f0f0f-0000-4000-8000-00000000000a";
const VERSION = { major: 1, minor: 0, patch: 0 };
const DEFINITION = face.workflowDefinition({
  version: VERSION,
  workflowMetadata: { version: VERSION, workflowName: "w", workflowVersion: VERSION, description: "" },
  executionGraph: { version: VERSION },
});
const V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;
const ACTION = { actionType: "compute", targetNodeType: "NodeCompute", leaseId: ID, epoch: 0 } as const;

describe("segno/planner", () => {
  it("PLAN-1 has all that the planner has", () => {
    expect(Object.keys(face).toSorted()).toEqual(Object.keys(pure).toSorted());
  });

  it("PLAN-1 PLAN-4 makes random ids, each its own, and takes the time of the system", async () => {
    const before = new Date().toISOString();
    const steps = Array.from({ length: 50 }, () => face.workflowStep({ stepName: "a", stepType: "compute" }));
    const { actionsEmitted, timestamp } = await face.executeWorkflow(DEFINITION, steps, ID);
    const after = new Date().toISOString();
    const ids = [...actionsEmitted, face.action(ACTION)].flatMap(({ actionId, leaseId }) => [actionId, leaseId]);
    const made = [...ids.slice(0, -1), ...steps.flatMap(({ stepId, correlationId }) => [stepId, correlationId])];
    for (const id of made) expect(id).toMatch(V4);
    expect(new Set(made).size).toBe(made.length);
    for (const time of [timestamp, ...actionsEmitted.map(({ createdAt }) => createdAt)]) {
      expect(time >= before && time <= after).toBe(true);
    }
  });

  it("PLAN-18 has an orchestrator that needs nothing", async () => {
    const orchestrator = new face.NodeOrchestrator();
    orchestrator.workflowDefinition = DEFINITION;
    const steps = [face.workflowStep({ stepName: "a", stepType: "compute" })];
    const [first, second] = [0, 1].map(() => face.orchestratorInput({ workflowId: ID, steps }));
    expect(first!.operationId).not.toBe(second!.operationId);
    expect(await orchestrator.process(first!)).toMatchObject({ executionStatus: "completed" });
    expect(orchestrator).toBeInstanceOf(pure.NodeOrchestrator);
  });

  it("PLAN-1 takes sources that somebody brings, also as methods", async () => {
    class Counter {
      #count = 0;
      newId(): string {
        return `0000000${this.#count++}-0000-4000-8000-000000000000`;
      }
      now(): number {
        return 0;
      }
    }
    const step = face.workflowStep({ stepName: "a", stepType: "compute" }, new Counter());
    const options = new Counter();
    const result = await face.executeWorkflow(DEFINITION, [step], ID, options);
    expect(result.actionsEmitted[0]).toMatchObject({
      actionId: "00000000-0000-4000-8000-000000000000",
      leaseId: "00000001-0000-4000-8000-000000000000",
      createdAt: "1970-01-01T00:00:00.000Z",
    });
    const again = await face.executeWorkflow(DEFINITION, [step], ID, new Counter());
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
  });
});

describe("options of segno/planner", () => {
  it("PLAN-1 takes options that are inherited, methods with a state among them", async () => {
    class Options {
      #asked = 0;
      readonly failedSteps = [ID];
      get executionMode(): "batch" {
        return "batch";
      }
      payloadFor(): object {
        return { asked: ++this.#asked };
      }
    }
    class Special extends Options {}
    const steps = [1, 2].map((number) => face.workflowStep({ stepName: `s${number}`, stepType: "compute" }));
    const failing = face.workflowStep({ stepId: ID, stepName: "f", stepType: "compute", errorAction: "continue" });
    for (const options of [new Special(), Object.freeze(new Special())]) {
      const result = await face.executeWorkflow(DEFINITION, [failing, ...steps], ID, options);
      expect(result.metadata).toMatchObject({ execution_mode: "batch", errors: [{ step_id: ID }] });
      expect(result.actionsEmitted.map(({ payload }) => payload["asked"])).toEqual([1, 2]);
    }
  });

  it("PLAN-1 refuses options that are misspelt, and sources that cannot be asked", async () => {
    const run = (options: object) => face.executeWorkflow(DEFINITION, [], ID, options);
    await expect(run({ globalTimeoutMS: 5 })).rejects.toThrow("did you mean `globalTimeoutMs`?");
    await expect(run({ now: 5 })).rejects.toMatchObject({ problems: [{ path: "now", reason: "wrong-type" }] });
    await expect(run(null as never)).rejects.toBeInstanceOf(face.ValidationError);
  });
});
