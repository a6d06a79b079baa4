// The models: defaults, ranges, and that every problem of a value is told.

import {
  coordinationRules,
  executionGraph,
  orchestratorInput,
  semVer,
  workflowDefinition,
  workflowDefinitionMetadata,
  workflowStep,
} from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definitionFields,
  graph,
  listProblems,
  reasons,
  PlannerFixture,
  START_MS,
  stepFields,
  unfrozen,
  UUID,
  VERSION,
  WORKFLOW_ID,
} from "../fixture.ts";

const sources = new PlannerFixture();
const least = { stepName: "a", stepType: "compute" } as const;
const stepProblems = (fields: object) => listProblems(() => workflowStep({ ...least, ...fields }, sources));

describe("a workflow step", () => {
  it("CONTRACT-5 has the defaults of the source; errorAction stays open unless it is written", () => {
    const built = workflowStep(least, sources);
    expect(built).toMatchObject({
      stepId: expect.stringMatching(UUID),
      correlationId: expect.stringMatching(UUID),
      timeoutMs: 30_000,
      retryCount: 3,
      enabled: true,
      skipOnFailure: false,
      continueOnError: false,
      maxMemoryMb: null,
      maxCpuPercent: null,
      priority: 100,
      orderIndex: 0,
      dependsOn: [],
      parallelGroup: null,
      maxParallelInstances: 1,
      compensationAction: null,
      checkpointRequired: false,
      idempotencyKey: null,
    });
    expect(built.errorAction).toBeUndefined();
    expect(built.stepId).not.toBe(built.correlationId);
  });
});

describe("what a workflow step refuses", () => {
  it.each([
    ["timeoutMs", 99, "out-of-range"],
    ["timeoutMs", 0, "out-of-range"],
    ["timeoutMs", -1, "out-of-range"],
    ["timeoutMs", 300_001, "out-of-range"],
    ["timeoutMs", "1000", "wrong-type"],
    ["timeoutMs", 100.5, "wrong-type"],
    ["timeoutMs", Number.NaN, "wrong-type"],
    ["retryCount", -1, "out-of-range"],
    ["retryCount", 11, "out-of-range"],
    ["priority", 0, "out-of-range"],
    ["priority", 1001, "out-of-range"],
    ["orderIndex", -1, "out-of-range"],
    ["maxMemoryMb", 0, "out-of-range"],
    ["maxMemoryMb", 32_769, "out-of-range"],
    ["maxCpuPercent", 0, "out-of-range"],
    ["maxCpuPercent", 101, "out-of-range"],
    ["maxParallelInstances", 0, "out-of-range"],
    ["maxParallelInstances", 101, "out-of-range"],
    ["enabled", "yes", "wrong-type"],
    ["skipOnFailure", 1, "wrong-type"],
    ["dependsOn", "a", "wrong-type"],
    ["stepName", 5, "wrong-type"],
    ["condition", Number.NaN, "not-json"],
    ["stepId", "a", "not-a-uuid"],
    ["correlationId", "", "not-a-uuid"],
  ])("PLAN-4 CONTRACT-5 refuses %s as %j: %s", (field, value, reason) => {
    expect(stepProblems({ [field]: value }).map((problem) => `${problem.reason} ${problem.path}`)).toEqual([
      `${reason} ${field}`,
    ]);
  });

  it.each([
    ["stepName", ""],
    ["stepName", "n".repeat(201)],
    ["stepName", "😀".repeat(201)],
    ["parallelGroup", "g".repeat(101)],
    ["errorAction", "explode"],
    ["errorAction", null],
  ])("CONTRACT-5 refuses %s as %j", (field, value) => {
    expect(stepProblems({ [field]: value }).map(({ path }) => path)).toEqual([field]);
  });

  it("PLAN-6 refuses a type that does not exist instead of taking it for custom", () => {
    for (const stepType of ["Compute", "reduce", "custom ", "", "toString"])
      expect(reasons(stepProblems({ stepType }))).toEqual(["unknown-step-type"]);
  });

  it("CONTRACT-5 refuses a dependency that is no id, with its place", () => {
    const problems = stepProblems({ dependsOn: [WORKFLOW_ID, "b"] });
    expect(reasons(problems)).toEqual(["not-a-uuid"]);
    expect(problems[0]!.path).toBe("dependsOn[1]");
  });
});

describe("what a workflow step takes", () => {
  it.each([
    ["timeoutMs", 100],
    ["timeoutMs", 300_000],
    ["orderIndex", 0],
    ["maxMemoryMb", 1],
    ["maxMemoryMb", null],
    ["maxCpuPercent", 1],
    ["maxParallelInstances", 1],
    ["stepName", "😀".repeat(200)],
    ["parallelGroup", ""],
    ["compensationAction", ""],
    ["idempotencyKey", ""],
    ["retryCount", 0],
    ["retryCount", 10],
    ["priority", 1],
    ["priority", 1000],
    ["maxMemoryMb", 32_768],
    ["maxCpuPercent", 100],
    ["maxParallelInstances", 100],
    ["stepName", "n".repeat(200)],
    ["parallelGroup", "g".repeat(100)],
    ["stepType", "conditional"],
    ["stepType", "parallel"],
  ])("PLAN-4 CONTRACT-5 takes %s as %j", (field, value) => {
    expect(workflowStep({ ...least, [field]: value }, sources)).toMatchObject({ [field]: value });
  });

  it("CONTRACT-4 anything that it does not know, and ignores it", () => {
    expect(workflowStep({ ...least, mood: "good" } as never, sources)).not.toHaveProperty("mood");
  });
});

describe("the problems of a workflow step", () => {
  it("CONTRACT-5 are told all at once", () => {
    const problems = stepProblems({ stepName: "", stepType: "x", timeoutMs: 1, retryCount: 99, priority: 0 });
    expect(problems.map(({ path }) => path).toSorted()).toEqual([
      "priority",
      "retryCount",
      "stepName",
      "stepType",
      "timeoutMs",
    ]);
  });

  it("CONTRACT-5 include a name or a type that is missing", () => {
    expect(
      listProblems(() => workflowStep({} as never, sources)).map(({ reason, path }) => `${reason} ${path}`),
    ).toEqual(["missing stepName", "missing stepType"]);
  });
});

describe("a workflow definition", () => {
  it("CONTRACT-5 has the defaults of the source", () => {
    expect(workflowDefinition(definitionFields())).toMatchObject({
      version: VERSION,
      workflowMetadata: { executionMode: "sequential", timeoutMs: 600_000 },
      executionGraph: { nodes: [] },
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

  const refused = (metadata: object, rest: object = {}) =>
    listProblems(() => workflowDefinition(definitionFields(metadata, rest)));

  it("PLAN-17 refuses an empty workflow name", () => {
    expect(reasons(refused({ workflowName: "" }))).toEqual(["empty-name"]);
  });

  it.each([999, 0, -1, 1000.5, "1000", null])("PLAN-12 refuses %j as timeout of a workflow", (timeoutMs) => {
    expect(refused({ timeoutMs }).map(({ path }) => path)).toEqual([expect.stringContaining("timeoutMs")]);
  });

  it("CONTRACT-5 PLAN-16 looks at reserved fields for their type only, not for sense", () => {
    const rules = { version: VERSION, maxRetries: -1, retryDelayMs: 0, synchronizationPoints: ["", ""] };
    const built = workflowDefinition(
      definitionFields({ description: "" }, { coordinationRules: rules, sagaPattern: "" }),
    );
    expect(built).toMatchObject({ coordinationRules: rules, sagaPattern: "" });
  });

  it("PLAN-12 takes a second, and has no upper bound", () => {
    for (const timeoutMs of [1000, 86_400_000])
      expect(workflowDefinition(definitionFields({ timeoutMs })).workflowMetadata.timeoutMs).toBe(timeoutMs);
  });

  it.each(["workflowMetadata", "executionGraph", "version"] as const)(
    "CONTRACT-5 refuses to go without %s",
    (field) => {
      const { [field]: _, ...rest } = definitionFields();
      const problems = listProblems(() => workflowDefinition(rest as never));
      expect(problems.map(({ reason, path }) => `${reason} ${path}`)).toEqual([`missing ${field}`]);
    },
  );

  it("CONTRACT-5 tells the problems of all its parts at once", () => {
    const problems = refused(
      { workflowName: "", timeoutMs: 1, description: undefined },
      { coordinationRules: { version: VERSION, failureRecoveryStrategy: "HOPE" }, sagaPattern: 5n as never },
    );
    expect(problems).toHaveLength(5);
  });

  it("CONTRACT-4 ignores fields that it does not know", () => {
    expect(() => workflowDefinition({ ...definitionFields(), mood: "good" } as never)).not.toThrow();
  });
});

describe("an orchestrator input", () => {
  const fields = { workflowId: WORKFLOW_ID, steps: graph("a") };

  it("PLAN-18 has the defaults of the source; mode, timeout and failure strategy stay open unless they are written", () => {
    const input = orchestratorInput(fields, sources);
    expect(input).toMatchObject({
      operationId: expect.stringMatching(UUID),
      maxParallelSteps: 5,
      loadBalancingEnabled: false,
      dependencyResolutionEnabled: true,
      metadata: {},
    });
    expect([input.executionMode, input.globalTimeoutMs, input.failureStrategy]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(new Date(input.timestamp).getTime()).toBe(START_MS);
  });

  it.each([
    ["workflowId", "x"],
    ["operationId", "x"],
    ["steps", {}],
    ["executionMode", "turbo"],
    ["failureStrategy", "hope"],
    ["globalTimeoutMs", 0],
    ["globalTimeoutMs", -1],
    ["globalTimeoutMs", "1000"],
    ["globalTimeoutMs", Number.NaN],
    ["maxParallelSteps", "5"],
    ["maxParallelSteps", 1.5],
    ["loadBalancingEnabled", 1],
    ["metadata", []],
    ["metadata", { call: () => 1 }],
  ])("PLAN-18 refuses %s as %j", (field, value) => {
    const problems = listProblems(() => orchestratorInput({ ...fields, [field]: value }, sources));
    expect(problems.map(({ path }) => path)).toEqual([expect.stringContaining(field)]);
  });
});

describe("numbers of an orchestrator input", () => {
  it("PLAN-16 maxParallelSteps may be any whole number: it is inert", () => {
    const fields = { workflowId: WORKFLOW_ID, steps: [], maxParallelSteps: 0 };
    expect(orchestratorInput(fields, sources).maxParallelSteps).toBe(0);
  });
});

describe("a version", () => {
  it.each([
    [{ major: -1, minor: 0, patch: 0 }],
    [{ major: 1, minor: 0.5, patch: 0 }],
    [{ major: "1", minor: 0, patch: 0 }],
    [{ major: 1, minor: 0 }],
    ["1.0.0"],
    [null],
  ])("CONTRACT-5 is three whole numbers: not %j", (version) => {
    expect(listProblems(() => semVer(version as never))).toHaveLength(1);
  });

  it("CONTRACT-5 may be 0.0.0", () => {
    expect(semVer({ major: 0, minor: 0, patch: 0 })).toMatchObject({ major: 0, minor: 0, patch: 0 });
  });
});

describe("an id", () => {
  const good = "01234567-89ab-cdef-ABCD-EF0123456789";
  const built = (stepId: string) => workflowStep({ ...least, stepId }, sources);

  it("CONTRACT-5 is 32 hexadecimal digits in five groups, kept as written", () => {
    expect(built(good).stepId).toBe(good);
    expect(built("ffffffff-ffff-ffff-ffff-ffffffffffff").stepId).toBe("ffffffff-ffff-ffff-ffff-ffffffffffff");
    expect(built("00000000-0000-0000-0000-000000000000").stepId).toBe("00000000-0000-0000-0000-000000000000");
  });

  it("CONTRACT-5 is refused for one wrong character, wherever it stands", () => {
    for (let at = 0; at < good.length; at++)
      for (const wrong of ["g", "G", "/", ":", "@", "`", " ", good[at] === "-" ? "0" : "-", "\uff11"])
        expect(reasons(listProblems(() => built(good.slice(0, at) + wrong + good.slice(at + 1))))).toEqual([
          "not-a-uuid",
        ]);
  });

  it("CONTRACT-5 is refused when it is too short, too long or without its hyphens", () => {
    for (const wrong of [good.slice(1), good.slice(0, -1), `${good}0`, ` ${good}`, good.replaceAll("-", ""), ""])
      expect(reasons(listProblems(() => built(wrong)))).toEqual(["not-a-uuid"]);
  });
});

describe("every model", () => {
  it("PLAN-1 is frozen, however deep", () => {
    const metadata = { deep: [{ deeper: {} }] };
    for (const model of [
      workflowStep(stepFields("a", { after: ["b"] }), sources),
      workflowDefinition(definitionFields()),
      orchestratorInput({ workflowId: WORKFLOW_ID, steps: graph("a"), metadata }, sources),
      semVer(VERSION),
      executionGraph({ version: VERSION }),
      coordinationRules({ version: VERSION, synchronizationPoints: ["x"] }),
      workflowDefinitionMetadata(definitionFields().workflowMetadata),
    ])
      expect(unfrozen(model)).toEqual([]);
  });
});
