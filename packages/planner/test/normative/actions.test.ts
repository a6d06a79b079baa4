// The fields of an action.

import { action, isAction, type Action } from "@segno/planner";
import { describe, expect, it, vi } from "vitest";
import {
  correlationId,
  definition,
  graph,
  numberedId,
  plan,
  listProblems,
  reasons,
  PlannerFixture,
  START_MS,
  step,
  stepId,
  unfrozen,
  UUID,
  WORKFLOW_ID,
  type Written,
} from "../fixture.ts";

async function makeAction(written: Written = {}, options: Parameters<typeof plan>[1] = {}): Promise<Action> {
  const { actionsEmitted } = await plan([step("a", written)], options);
  return actionsEmitted[0]!;
}

const FIELDS = [
  "actionId",
  "actionType",
  "createdAt",
  "dependencies",
  "epoch",
  "leaseId",
  "metadata",
  "payload",
  "priority",
  "retryCount",
  "targetNodeType",
  "timeoutMs",
];

describe("an emitted action", () => {
  it("PLAN-4 has exactly the fields of the model", async () => {
    expect(Object.keys(await makeAction()).toSorted()).toEqual(FIELDS);
    expect(isAction(await makeAction())).toBe(true);
  });

  it("PLAN-4 has the step's timeout and retry count, as they are", async () => {
    expect(await makeAction({ timeoutMs: 12_345, retryCount: 7 })).toMatchObject({ timeoutMs: 12_345, retryCount: 7 });
    expect(await makeAction({ retryCount: 0 })).toMatchObject({ timeoutMs: 30_000, retryCount: 0 });
  });

  it("PLAN-4 has the payload workflow_id, step_id and step_name, and nothing else", async () => {
    expect((await makeAction()).payload).toEqual({ workflow_id: WORKFLOW_ID, step_id: stepId("a"), step_name: "a" });
  });

  it("PLAN-4 has the metadata step_name and correlation_id, and nothing else", async () => {
    expect((await makeAction()).metadata).toEqual({ step_name: "a", correlation_id: correlationId("a") });
  });

  it("PLAN-4 has the correlation id exactly as the step has it", async () => {
    const written = "ABCDEF12-3456-4789-8ABC-DEF012345678";
    expect((await makeAction({ correlationId: written })).metadata["correlation_id"]).toBe(written);
  });

  it("PLAN-4 was created when the clock says", async () => {
    const fixture = new PlannerFixture();
    const { actionsEmitted } = await plan(graph("a b"), { now: fixture.now, payloadFor: fixture.taking(40) });
    expect(actionsEmitted.map(({ createdAt }) => Date.parse(createdAt) - START_MS)).toEqual([40, 80]);
    expect(actionsEmitted[0]!.createdAt).toBe(new Date(START_MS + 40).toISOString());
  });

  it("PLAN-4 is frozen, however deep", async () => {
    const emitted = await makeAction({}, { payloadFor: () => ({ list: [{ deep: [1] }] }) });
    expect(unfrozen(emitted)).toEqual([]);
    expect(() => Object.assign(emitted.metadata, { more: 1 })).toThrow(TypeError);
    expect(() => Object.assign(emitted, { epoch: 1 })).toThrow(TypeError);
  });

  it("PLAN-4 is what the factory makes from the same fields", async () => {
    const emitted = await makeAction({ priority: 7 }, { payloadFor: () => ({ more: [1, null] }) });
    expect(action({ ...emitted }, new PlannerFixture())).toEqual(emitted);
  });
});

describe("priority", () => {
  it.each([
    [1, 1],
    [9, 9],
    [10, 10],
    [11, 10],
    [100, 10],
    [1000, 10],
  ])("PLAN-4 %d of a step is %d of its action, in every mode", async (priority, expected) => {
    for (const executionMode of ["sequential", "parallel", "batch"] as const)
      expect((await makeAction({ priority }, { executionMode })).priority).toBe(expected);
  });

  it("PLAN-4 is cut without a warning", async () => {
    const said = vi.spyOn(process, "emitWarning");
    const printed = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
    await makeAction({ priority: 1000 });
    for (const spy of [said, ...printed]) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe("ids of actions", () => {
  it("PLAN-4 every action id and lease id is a new one from the source, and none is used twice", async () => {
    const fixture = new PlannerFixture();
    const { actionsEmitted } = await plan(graph("a b(a) c d(b,c)"), { newId: fixture.newId });
    const ids = actionsEmitted.flatMap(({ actionId, leaseId }) => [actionId, leaseId]);
    expect(new Set(ids).size).toBe(8);
    expect(ids.filter((id) => !fixture.issued.includes(id))).toEqual([]);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  it("PLAN-4 a second run with the same source gives other ids", async () => {
    const { newId } = new PlannerFixture();
    const first = await plan(graph("a b"), { newId });
    const second = await plan(graph("a b"), { newId });
    const ids = [first, second].flatMap(({ actionsEmitted }) => actionsEmitted.map(({ actionId }) => actionId));
    expect(new Set(ids).size).toBe(4);
  });
});

describe("dependencies of actions", () => {
  it("PLAN-5 are the actions of the step's direct dependencies", async () => {
    const { actionsEmitted } = await plan(graph("a b(a) c(b)"));
    const [first, second, third] = actionsEmitted;
    expect(first!.dependencies).toEqual([]);
    expect(second!.dependencies).toEqual([first!.actionId]);
    expect(third!.dependencies).toEqual([second!.actionId]);
  });

  it("PLAN-5 GRAPH-3 name an action once, also when the step names it twice", async () => {
    const { actionsEmitted } = await plan(graph("a b(a,a)"));
    expect(actionsEmitted[1]!.dependencies).toEqual([actionsEmitted[0]!.actionId]);
  });
});

describe("routing", () => {
  it.each([
    ["compute", "compute", "NodeCompute"],
    ["effect", "effect", "NodeEffect"],
    ["reducer", "reduce", "NodeReducer"],
    ["orchestrator", "orchestrate", "NodeOrchestrator"],
    ["custom", "custom", "NodeCustom"],
    ["parallel", "custom", "NodeCustom"],
  ] as const)("PLAN-6 a step of type %s is a %s for %s", async (stepType, actionType, targetNodeType) => {
    expect(await makeAction({ stepType })).toMatchObject({ actionType, targetNodeType });
  });

  it("PLAN-6 the type changes nothing but the route", async () => {
    const { actionType: _, targetNodeType: __, ...rest } = await makeAction({ stepType: "compute" });
    for (const stepType of ["effect", "reducer", "orchestrator", "custom", "parallel"] as const)
      expect(await makeAction({ stepType })).toMatchObject(rest);
  });

  it("PLAN-6 a conditional step gets no action, of any type", async () => {
    const attempt = async (): Promise<readonly unknown[]> =>
      (await plan([step("a", { stepType: "conditional" })], {}, definition())).actionsEmitted;
    const outcome = await attempt().catch((error: unknown) => error);
    expect([[], expect.objectContaining({ code: "VALIDATION_ERROR" })]).toContainEqual(outcome);
  });
});

const sources = new PlannerFixture();
const least = { actionType: "compute", targetNodeType: "NodeCompute", leaseId: numberedId(1), epoch: 0 } as const;
const refused = (fields: object) => listProblems(() => action({ ...least, ...fields }, sources));

describe("the factory of actions", () => {
  it("PLAN-4 fills in the defaults of the model", () => {
    expect(action(least, sources)).toMatchObject({
      ...least,
      actionId: expect.stringMatching(UUID),
      payload: {},
      dependencies: [],
      priority: 1,
      timeoutMs: 30_000,
      retryCount: 0,
      metadata: {},
      createdAt: new Date(START_MS).toISOString(),
    });
  });

  it.each([
    ["priority", 0],
    ["priority", 11],
    ["priority", 1.5],
    ["timeoutMs", 99],
    ["timeoutMs", 300_001],
    ["epoch", -1],
    ["epoch", 0.5],
    ["retryCount", -1],
    ["retryCount", 11],
    ["targetNodeType", ""],
    ["targetNodeType", "N".repeat(101)],
    ["actionType", "conditional"],
    ["actionId", "not-an-id"],
    ["leaseId", "not-an-id"],
    ["dependencies", ["not-an-id"]],
    ["dependencies", "none"],
    ["payload", []],
    ["payload", { when: new Map() }],
    ["metadata", { call: () => 1 }],
  ])("PLAN-4 refuses %s as %j", (field, value) => {
    const problems = refused({ [field]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]!.path).toContain(field);
  });

  it.each([
    ["priority", 1],
    ["priority", 10],
    ["timeoutMs", 100],
    ["timeoutMs", 300_000],
    ["retryCount", 0],
    ["retryCount", 10],
    ["targetNodeType", "N"],
    ["epoch", 9_007_199_254_740_991],
    ["targetNodeType", "N".repeat(100)],
  ])("PLAN-4 takes %s as %j", (field, value) => {
    expect(action({ ...least, [field]: value }, sources)).toMatchObject({ [field]: value });
  });
});

describe("fields of an action", () => {
  it.each(["actionType", "targetNodeType", "leaseId", "epoch"] as const)("PLAN-4 refuses to go without %s", (field) => {
    const { [field]: _, ...rest } = least;
    const problems = listProblems(() => action(rest as never, sources));
    expect(problems.map(({ reason, path }) => `${reason} ${path}`)).toEqual([`missing ${field}`]);
  });

  it("PLAN-4 refuses unknown fields", () => {
    expect(reasons(refused({ order_index: 1 }))).toEqual(["unknown-field"]);
  });

  it("PLAN-4 tells all problems at once", () => {
    expect(refused({ priority: 11, epoch: -1, leaseId: "x", more: 1 })).toHaveLength(4);
  });
});
