// The factories: every default, and every range at both of its edges.

import { describe, expect, it } from "vitest";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { action, isAction } from "./action.ts";
import { coordinationRules } from "./coordination-rules.ts";
import { executionGraph, workflowNode } from "./execution-graph.ts";
import { isOrchestratorInput, orchestratorInput } from "./orchestrator-input.ts";
import { semVer } from "./sem-ver.ts";
import { isWorkflowDefinition, workflowDefinition, workflowDefinitionMetadata } from "./workflow-definition.ts";
import { isWorkflowStep, workflowStep } from "./workflow-step.ts";

const ID = "0f0f0f0f-0000-4000-8000-00000000000a";
const OTHER_ID = "0F0F0F0F-0000-4000-8000-00000000000B";
const VERSION = { major: 1, minor: 0, patch: 0 };
const SOURCES = { newId: () => ID, now: () => 0 };

type Fields = Readonly<Record<string, unknown>>;
type Factory = (fields: Fields) => object;

const step: Factory = (fields) => workflowStep({ stepName: "a", stepType: "compute", ...fields }, SOURCES);
const METADATA = { version: VERSION, workflowName: "w", workflowVersion: VERSION, description: "" };
const metadata: Factory = (fields) => workflowDefinitionMetadata({ ...METADATA, ...fields });
const DEFINITION = { version: VERSION, workflowMetadata: METADATA, executionGraph: { version: VERSION } };
const definition: Factory = (fields) => workflowDefinition({ ...DEFINITION, ...fields });
const rules: Factory = (fields) => coordinationRules({ version: VERSION, ...fields });
const node: Factory = (fields) => workflowNode({ nodeId: "n", nodeType: "effect", ...fields });
const graph: Factory = (fields) => executionGraph({ version: VERSION, ...fields });
const input: Factory = (fields) => orchestratorInput({ workflowId: ID, steps: [], ...fields }, SOURCES);
const ACTION = { actionType: "compute", targetNodeType: "NodeCompute", leaseId: ID, epoch: 0 } as const;
const order: Factory = (fields) => action({ ...ACTION, ...fields }, SOURCES);
const version: Factory = (fields) => semVer({ ...VERSION, ...fields });

const FACTORIES: Readonly<Record<string, Factory>> = {
  step,
  metadata,
  definition,
  rules,
  node,
  graph,
  input,
  order,
  version,
};

function findProblems(make: () => unknown): readonly PlannerProblem[] {
  try {
    make();
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

const reasons = (make: () => unknown): string[] => findProblems(make).map(({ path, reason }) => `${path}: ${reason}`);

const whole = Number.MAX_SAFE_INTEGER;
const RANGES: readonly (readonly [factory: string, field: string, least: number, most: number])[] = [
  ["step", "timeoutMs", 100, 300_000],
  ["step", "retryCount", 0, 10],
  ["step", "maxMemoryMb", 1, 32_768],
  ["step", "maxCpuPercent", 1, 100],
  ["step", "priority", 1, 1000],
  ["step", "orderIndex", 0, whole],
  ["step", "maxParallelInstances", 1, 100],
  ["metadata", "timeoutMs", 1000, whole],
  ["input", "globalTimeoutMs", 1, whole],
  ["order", "priority", 1, 10],
  ["order", "timeoutMs", 100, 300_000],
  ["order", "epoch", 0, whole],
  ["order", "retryCount", 0, 10],
  ["version", "major", 0, whole],
  ["version", "minor", 0, whole],
  ["version", "patch", 0, whole],
];

describe("a whole number", () => {
  it.each(RANGES)("PLAN-4 PLAN-22 %s.%s is %d to %d", (factory, field, least, most) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    for (const value of [least, most]) expect(make(value)()).toHaveProperty(field, value);
    expect(reasons(make(least - 1))).toEqual([`${field}: out-of-range`]);
    expect(reasons(make(most + 1))).toEqual([`${field}: ${most === whole ? "wrong-type" : "out-of-range"}`]);
    for (const value of [least + 0.5, String(least), Number.NaN, true, BigInt(least)])
      expect(reasons(make(value))).toEqual([`${field}: wrong-type`]);
  });

  it("PLAN-16 is any where the field has no effect, and a number all the same", () => {
    for (const value of [-1, 0, whole])
      expect(input({ maxParallelSteps: value })).toMatchObject({ maxParallelSteps: value });
    expect(reasons(() => input({ maxParallelSteps: "5" }))).toEqual(["maxParallelSteps: wrong-type"]);
  });
});

describe("a text", () => {
  it.each([
    ["step", "stepName", 200, "empty-name"],
    ["order", "targetNodeType", 100, "out-of-range"],
    ["step", "parallelGroup", 100, undefined],
    ["metadata", "workflowName", undefined, "empty-name"],
  ])("PLAN-4 PLAN-22 %s.%s has at most %s characters; empty it is %s", (factory, field, most, whenEmpty) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    expect(reasons(make(""))).toEqual(whenEmpty === undefined ? [] : [`${field}: ${whenEmpty}`]);
    expect(reasons(make("x"))).toEqual([]);
    expect(reasons(make(5))).toEqual([`${field}: wrong-type`]);
    for (const character of ["x", "\u{1f3bb}"]) {
      expect(reasons(make(character.repeat(most ?? 5000)))).toEqual([]);
      if (most !== undefined) expect(reasons(make(character.repeat(most + 1)))).toEqual([`${field}: out-of-range`]);
    }
  });

  it.each([
    ["step", "stepId"],
    ["step", "correlationId"],
    ["input", "workflowId"],
    ["input", "operationId"],
    ["order", "actionId"],
    ["order", "leaseId"],
  ])("PLAN-22 %s.%s is a UUID, kept as it was written", (factory, field) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    expect(make(OTHER_ID)()).toHaveProperty(field, OTHER_ID);
    for (const value of ["", "a", `${ID}0`, ID.replaceAll("-", ""), ` ${ID}`, `${ID}\n`, ID.replace("0", "g")])
      expect(reasons(make(value))).toEqual([`${field}: not-a-uuid`]);
    for (const value of [1, null, {}]) expect(reasons(make(value))).toEqual([`${field}: wrong-type`]);
  });

  it.each([
    ["step", "stepType", "parallel", "unknown-step-type"],
    ["step", "errorAction", "retry", "unknown-value"],
    ["metadata", "executionMode", "streaming", "unknown-mode"],
    ["input", "executionMode", "batch", "unknown-mode"],
    ["input", "failureStrategy", "continue_on_error", "unknown-value"],
    ["rules", "failureRecoveryStrategy", "ABORT", "unknown-value"],
    ["order", "actionType", "orchestrate", "unknown-value"],
  ])("PLAN-6 PLAN-22 %s.%s is one of its words, such as %s", (factory, field, word, reason) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    expect(make(word)()).toHaveProperty(field, word);
    for (const value of ["", word.toUpperCase() === word ? word.toLowerCase() : word.toUpperCase(), "constructor"])
      expect(reasons(make(value))).toEqual([`${field}: ${reason}`]);
    expect(reasons(make(null))).toEqual([`${field}: wrong-type`]);
  });
});

describe("a list", () => {
  it.each([
    ["step", "dependsOn"],
    ["order", "dependencies"],
  ])("PLAN-22 %s.%s has ids, and is a copy", (factory, field) => {
    const given = [ID, OTHER_ID, ID];
    const built = FACTORIES[factory]!({ [field]: given }) as Fields;
    given.push("x");
    expect(built[field]).toEqual([ID, OTHER_ID, ID]);
    expect(reasons(() => FACTORIES[factory]!({ [field]: [ID, "x", 3] }))).toEqual([
      `${field}[1]: not-a-uuid`,
      `${field}[2]: wrong-type`,
    ]);
    // oxlint-disable-next-line no-sparse-arrays
    expect(reasons(() => FACTORIES[factory]!({ [field]: [, ID] }))).toEqual([`${field}[0]: wrong-type`]);
    expect(reasons(() => FACTORIES[factory]!({ [field]: ID }))).toEqual([`${field}: wrong-type`]);
  });

  it("PLAN-22 an input's steps are built steps: what looks like one is refused", () => {
    const built = workflowStep({ stepName: "a", stepType: "compute" }, SOURCES);
    expect(input({ steps: [built] })).toMatchObject({ steps: [built] });
    const proxied = new Proxy(built, {});
    expect(reasons(() => input({ steps: [{ ...built }, built, structuredClone(built), proxied, null] }))).toEqual(
      [0, 2, 3, 4].map((index) => `steps[${index}]: not-a-model`),
    );
  });
});

describe("JSON in a model", () => {
  it.each([
    ["input", "metadata"],
    ["order", "metadata"],
    ["order", "payload"],
    ["node", "reserved"],
  ])("PLAN-7 %s.%s is an object of JSON, copied and frozen", (factory, field) => {
    const given = { list: [{ deep: [1] }] };
    const built = FACTORIES[factory]!({ [field]: given }) as Fields;
    given.list[0]!.deep.push(2);
    expect(built[field]).toEqual({ list: [{ deep: [1] }] });
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    expect(reasons(make({ a: [new Map()] }))).toEqual([`${field}.a[0]: not-json`]);
    for (const value of [[], null, "x"]) expect(reasons(make(value))).toEqual([`${field}: wrong-type`]);
  });

  it("PLAN-16 whatever else is said about a node stays, under its own name", () => {
    expect(graph({ nodes: [{ nodeId: "n", nodeType: "x", dependencies: ["m"] }] })).toMatchObject({
      nodes: [{ nodeId: "n", nodeType: "x", description: null, reserved: {}, dependencies: ["m"] }],
    });
    expect(graph({ nodes: [{ nodeId: 1 }, {}, "n", null] })).toEqual(
      graph({ nodes: [{ nodeId: 1, description: null, reserved: {} }, { description: null }, "n", null] }),
    );
    expect(reasons(() => graph({ nodes: [{ nodeId: 1n, more: 1n }, 1n] }))).toEqual([
      "nodes[0].nodeId: not-json",
      "nodes[0].more: not-json",
      "nodes[1]: not-json",
    ]);
  });
});

describe("a time", () => {
  it.each([
    ["order", "createdAt"],
    ["input", "timestamp"],
  ])("PLAN-4 %s.%s comes from the clock unless it was written, as ISO 8601", (factory, field) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    expect(make(undefined)()).toHaveProperty(field, "1970-01-01T00:00:00.000Z");
    for (const value of ["2025-12-10T09:30:00Z", "2025-12-10T09:30:00.5+02:00", "2025-12-10 09:30"])
      expect(make(value)()).toHaveProperty(field, value);
    for (const value of ["", "today", "2025-12-10"]) expect(reasons(make(value))).toEqual([`${field}: not-a-time`]);
    expect(reasons(make(new Date(0)))).toEqual([`${field}: wrong-type`]);
  });

  it("PLAN-1 a source that gives no id or no time is refused like a field", () => {
    const broken = { newId: () => "7", now: () => Number.NaN };
    expect(reasons(() => action({ ...ACTION }, broken))).toEqual(["actionId: not-a-uuid", "createdAt: wrong-type"]);
    expect(reasons(() => workflowStep({ stepName: "a", stepType: "custom" }, broken))).toEqual([
      "stepId: not-a-uuid",
      "correlationId: not-a-uuid",
    ]);
  });

  it("PLAN-1 a source may be a method of an object with a state of its own", () => {
    class Counter {
      #count = 0;
      newId(): string {
        return `0000000${++this.#count}-0000-4000-8000-000000000000`;
      }
      now(): number {
        return this.#count;
      }
    }
    const made = action({ ...ACTION }, new Counter());
    expect(made).toMatchObject({ actionId: "00000001-0000-4000-8000-000000000000" });
    expect(made.createdAt).toBe("1970-01-01T00:00:00.001Z");
  });
});

describe("a default", () => {
  it("PLAN-4 PLAN-16 is the source's, for every field of every model", () => {
    expect({ ...step({}) }).toEqual({
      stepId: ID,
      correlationId: ID,
      stepName: "a",
      stepType: "compute",
      timeoutMs: 30_000,
      retryCount: 3,
      enabled: true,
      skipOnFailure: false,
      continueOnError: false,
      priority: 100,
      dependsOn: [],
      orderIndex: 0,
      maxMemoryMb: null,
      maxCpuPercent: null,
      parallelGroup: null,
      maxParallelInstances: 1,
      compensationAction: null,
      checkpointRequired: false,
      idempotencyKey: null,
      condition: null,
    });
    expect(order({})).toEqual({
      ...ACTION,
      actionId: ID,
      payload: {},
      dependencies: [],
      priority: 1,
      timeoutMs: 30_000,
      retryCount: 0,
      metadata: {},
      createdAt: "1970-01-01T00:00:00.000Z",
    });
  });

  it("PLAN-16 of a definition, its metadata and its rules are the source's", () => {
    expect(definition({})).toEqual({
      version: VERSION,
      workflowMetadata: { ...METADATA, executionMode: "sequential", timeoutMs: 600_000 },
      executionGraph: { version: VERSION, nodes: [] },
      coordinationRules: {
        version: VERSION,
        synchronizationPoints: [],
        parallelExecutionAllowed: true,
        failureRecoveryStrategy: "RETRY",
        maxRetries: 3,
        retryDelayMs: 1000,
      },
      compensationEnabled: false,
      sagaPattern: null,
      checkpointEnabled: false,
    });
  });
});

describe("no default", () => {
  it("PLAN-2 PLAN-8 is there for mode, timeout, strategy and error action: they are absent unless written", () => {
    expect(input({})).toEqual({
      workflowId: ID,
      steps: [],
      operationId: ID,
      maxParallelSteps: 5,
      loadBalancingEnabled: false,
      dependencyResolutionEnabled: true,
      metadata: {},
      timestamp: "1970-01-01T00:00:00.000Z",
    });
    for (const name of ["executionMode", "globalTimeoutMs", "failureStrategy"]) expect(name in input({})).toBe(false);
    expect("errorAction" in step({ errorAction: undefined })).toBe(false);
  });
});

describe("every model", () => {
  const models = Object.entries(FACTORIES);
  const guards = {
    step: isWorkflowStep,
    definition: isWorkflowDefinition,
    input: isOrchestratorInput,
    order: isAction,
  };

  it.each(models)("PLAN-22 %s: is frozen however deep, and plain JSON", (_, make) => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    const built = make({});
    expect(isFrozen(built)).toBe(true);
    expect(Object.getPrototypeOf(built)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(built))).toEqual(built);
  });

  it.each(models)("PLAN-16 %s: is the same again when it is built from itself", (_, make) => {
    const built = make({}) as Fields;
    expect(make(built)).toEqual(built);
    expect(make(JSON.parse(JSON.stringify(built)) as Fields)).toEqual(built);
  });

  it.each(Object.entries(guards))("PLAN-22 %s: only what its own factory built is one", (name, isOne) => {
    for (const [other, make] of models) expect(isOne(make({}))).toBe(other === name);
    const built = FACTORIES[name]!({});
    for (const value of [{ ...built }, Object.create(built), new Proxy(built, {}), structuredClone(built), null, 1])
      expect(isOne(value)).toBe(false);
  });
});

describe("what is wrong with a model", () => {
  it("PLAN-22 what is no object at all has one problem", () => {
    for (const value of [null, undefined, 1, "1.0.0", [], () => 1])
      expect(reasons(() => semVer(value as never))).toEqual(["(document): wrong-type"]);
  });

  it("PLAN-22 all problems come at once, each with its path", () => {
    expect(
      reasons(() => workflowStep({ stepType: "magic", timeoutMs: 99, dependsOn: ["x"] } as never, SOURCES)),
    ).toEqual([
      "stepName: missing",
      "stepType: unknown-step-type",
      "dependsOn[0]: not-a-uuid",
      "timeoutMs: out-of-range",
    ]);
    const broken = { ...METADATA, workflowName: "", version: { major: -1, minor: "0" } };
    expect(reasons(() => definition({ workflowMetadata: broken, executionGraph: undefined }))).toEqual([
      "workflowMetadata.version.major: out-of-range",
      "workflowMetadata.version.minor: wrong-type",
      "workflowMetadata.version.patch: missing",
      "workflowMetadata.workflowName: empty-name",
      "executionGraph: missing",
    ]);
  });

  it("PLAN-4 an action refuses fields that it does not know; other models leave them out", () => {
    expect(reasons(() => order({ prio: 1, __wave: 2 }))).toEqual(["prio: unknown-field", "__wave: unknown-field"]);
    expect("prio" in step({ prio: 1 })).toBe(false);
  });

  it("PLAN-22 a field that throws when it is read is a problem like any other", () => {
    const rude = Object.defineProperty({ minor: 0, patch: 0 }, "major", {
      get() {
        throw new Error("no");
      },
    });
    expect(reasons(() => semVer(rude as never))).toEqual(["major: wrong-type"]);
  });

  it("PLAN-17 a message names the first problems and counts the rest", () => {
    const many = Array.from({ length: 9 }, () => "x");
    const error = new ValidationError(
      "the step",
      findProblems(() => step({ dependsOn: many })),
    );
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", name: "ValidationError" });
    expect(error.problems).toHaveLength(9);
    expect(error.message).toMatch(
      /^the step is not valid: dependsOn\[0\]: expected a UUID, found "x"; .*; and 4 more$/u,
    );
  });
});
