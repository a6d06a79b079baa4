// Actions as a workflow: the translation of each field.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { actionPlan, planExecutionId, actionStepId } from "../../src/actions/action-plan.ts";
import { after, numbered, uuid, WORKFLOW } from "./sample-actions.ts";

const ORDERED = { isOrdered: true };

describe("an action as a step", () => {
  it("LEASE-2 has the node as its agent, and the timeout, retries and priority of the action", () => {
    const given = numbered(2, { dependencies: [uuid(1)], timeoutMs: 1234, retryCount: 3, priority: 7 });
    expect(actionPlan([numbered(1), given], WORKFLOW, ORDERED).definition.steps[1]).toEqual({
      id: actionStepId(uuid(2)),
      name: "step 2",
      action: { kind: "agent", agent: "actions/plan/NodeCompute" },
      dependsOn: [{ step: actionStepId(uuid(1)), on: "succeeded" }],
      timeout: 1234,
      retry: { attempts: 4 },
      priority: -3,
    });
  });

  it("LEASE-2 has no name where its payload has none that is text", () => {
    const payload = { workflow_id: WORKFLOW, step_name: 7 };
    const { steps } = actionPlan([numbered(1, { payload })], WORKFLOW, ORDERED).definition;
    expect(steps[0]).not.toHaveProperty("name");
  });

  it("DATA-11 keeps its payload out of the definition", () => {
    const payload = { workflow_id: WORKFLOW, card: "4111-1111" };
    const { definition, input } = actionPlan([numbered(1, { payload })], WORKFLOW, ORDERED);
    expect([JSON.stringify(definition).includes("4111"), JSON.stringify(input).includes("4111")]).toEqual([
      false,
      true,
    ]);
  });

  it("LEASE-2 has another seal as soon as anything of it changes, except its epoch", () => {
    const toSeal = (...given: Parameters<typeof numbered>): unknown =>
      Object.values(actionPlan([numbered(...given)], WORKFLOW, ORDERED).definition.variables!)[0];
    const seal = toSeal(1);
    expect(toSeal(1, { epoch: 5 })).toEqual(seal);
    for (const change of [{ retryCount: 1 }, { metadata: { a: 1 } }, { payload: { workflow_id: WORKFLOW } }])
      expect(toSeal(1, change)).not.toEqual(seal);
  });
});

describe("the execution of a plan", () => {
  it("LEASE-4 has the same id for the same actions in any order, and another one for any others", () => {
    const list = fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 8 });
    const toId = (numbers: readonly number[]): string => planExecutionId(numbers.map(uuid));
    fc.assert(
      fc.property(list, list, (one, other) => {
        expect(toId(one.toReversed())).toBe(toId(one));
        const isSame = one.length === other.length && one.every((each) => other.includes(each));
        expect(toId(one) === toId(other)).toBe(isSame);
      }),
    );
  });

  it("LEASE-2 has no edges when whoever executes it sees to the order", () => {
    const { definition } = actionPlan([after(2, 1)], WORKFLOW, { isOrdered: false });
    expect(definition.steps[0]!.dependsOn).toEqual([]);
  });
});
