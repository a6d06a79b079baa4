// Only models that a factory built are taken, and the vocabulary is that of the source.

import {
  action,
  ActionType,
  BranchCondition,
  ErrorAction,
  ExecutionMode,
  executeWorkflow,
  FailureRecoveryStrategy,
  FailureStrategy,
  isAction,
  isOrchestratorInput,
  isWorkflowDefinition,
  isWorkflowStep,
  orchestratorInput,
  StepType,
  WorkflowState,
} from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definition,
  graph,
  numberedId,
  plan,
  reasons,
  catchRefusal,
  PlannerFixture,
  step,
  WORKFLOW_ID,
} from "../fixture.ts";

const sources = new PlannerFixture();
const MODELS = [
  ["step", step("a"), isWorkflowStep],
  ["definition", definition(), isWorkflowDefinition],
  ["input", orchestratorInput({ workflowId: WORKFLOW_ID, steps: graph("a") }, sources), isOrchestratorInput],
  [
    "action",
    action({ actionType: "compute", targetNodeType: "NodeCompute", leaseId: numberedId(1), epoch: 0 }, sources),
    isAction,
  ],
] as const;

/** Things that look like a model and were not built by a factory. */
function likenesses(model: object): [string, unknown][] {
  return [
    ["a spread copy", { ...model }],
    ["a copy by JSON", JSON.parse(JSON.stringify(model))],
    ["a structured clone", structuredClone({ ...model })],
    ["an object that inherits from it", Object.create(model)],
    [
      "a copy with its prototype",
      Object.assign(Object.create(Object.getPrototypeOf(model) as object) as object, model),
    ],
    [
      "a copy with its descriptors",
      Object.create(Object.getPrototypeOf(model) as object, Object.getOwnPropertyDescriptors(model)),
    ],
    ["a frozen copy", Object.freeze({ ...model })],
  ];
}

describe.each(MODELS)("the model %s", (_name, model, isModel) => {
  it("PLAN-22 is known as what a factory built", () => {
    expect(isModel(model)).toBe(true);
  });

  it.each(likenesses(model))("PLAN-22 is not %s", (_like, likeness) => {
    expect(isModel(likeness)).toBe(false);
  });

  it("PLAN-22 is none of the other models, and nothing else", () => {
    for (const [, other] of MODELS) expect(isModel(other)).toBe(other === model);
    for (const other of [null, undefined, 0, "", true, [], {}, () => 1, Symbol("x")])
      expect(isModel(other)).toBe(false);
  });
});

describe("executeWorkflow", () => {
  it.each(likenesses(step("b")))("PLAN-22 refuses as a step %s", async (_like, likeness) => {
    const problems = await catchRefusal(plan([step("a"), likeness as never]));
    expect(reasons(problems)).toEqual(["not-a-model"]);
    expect(problems[0]!.path).toContain("1");
  });

  it.each(likenesses(definition()))("PLAN-22 refuses as a definition %s", async (_like, likeness) => {
    expect(reasons(await catchRefusal(plan([step("a")], {}, likeness as never)))).toEqual(["not-a-model"]);
  });

  it("PLAN-22 refuses a definition as a step and a step as a definition", async () => {
    expect(await catchRefusal(plan([definition()] as never))).not.toEqual([]);
    expect(await catchRefusal(plan([], {}, step("a") as never))).not.toEqual([]);
  });

  it("PLAN-1 PLAN-22 refuses by a rejected promise, never by throwing", async () => {
    const { newId, now } = new PlannerFixture();
    const pending = executeWorkflow({} as never, [{}] as never, WORKFLOW_ID, { newId, now });
    expect(pending).toBeInstanceOf(Promise);
    expect(await catchRefusal(pending)).not.toEqual([]);
  });
});

describe("the vocabulary", () => {
  it.each([
    ["ExecutionMode", ExecutionMode, "sequential parallel conditional batch streaming"],
    ["ActionType", ActionType, "compute effect reduce orchestrate custom"],
    ["WorkflowState", WorkflowState, "pending running paused completed failed cancelled"],
    ["FailureRecoveryStrategy", FailureRecoveryStrategy, "RETRY ROLLBACK COMPENSATE ABORT"],
    ["BranchCondition", BranchCondition, "if_true if_false if_error if_success if_timeout custom"],
    ["StepType", StepType, "compute effect reducer orchestrator conditional parallel custom"],
    ["ErrorAction", ErrorAction, "stop continue retry compensate"],
    ["FailureStrategy", FailureStrategy, "fail_fast continue_on_error"],
  ])("PLAN-16 of %s has the source's words, and is frozen", (_name, words, expected) => {
    expect(Object.values(words).toSorted()).toEqual(expected.split(" ").toSorted());
    expect(Object.keys(words).toSorted()).toEqual(expected.toUpperCase().split(" ").toSorted());
    expect(Object.isFrozen(words)).toBe(true);
  });
});
