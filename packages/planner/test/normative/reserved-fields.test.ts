import type { Json } from "@segno/kernel";
// Fields for later versions and fields that only describe: kept, and without any effect.

import * as fc from "fast-check";
import {
  executionGraph,
  NodeOrchestrator,
  orchestratorInput,
  validateWorkflowDefinition,
  workflowDefinition,
  workflowStep,
  type WorkflowStep,
} from "@segno/planner";
import { describe, expect, it, vi } from "vitest";
import {
  definition,
  definitionFields,
  failing,
  graph,
  outline,
  plan,
  PlannerFixture,
  step,
  stepFields,
  stepId,
  VERSION,
  WORKFLOW_ID,
  type Written,
} from "../fixture.ts";

const optionalText = fc.option(fc.string({ maxLength: 100 }), { nil: null });

const stepFieldsReserved = fc.record(
  {
    orderIndex: fc.nat(),
    parallelGroup: fc.option(fc.constantFrom("g", "wave-1", "1", "", "__proto__"), { nil: null }),
    maxParallelInstances: fc.integer({ min: 1, max: 100 }),
    maxMemoryMb: fc.option(fc.integer({ min: 1, max: 32_768 }), { nil: null }),
    maxCpuPercent: fc.option(fc.integer({ min: 1, max: 100 }), { nil: null }),
    compensationAction: optionalText,
    checkpointRequired: fc.boolean(),
    idempotencyKey: optionalText,
    continueOnError: fc.boolean(),
    condition: fc.constantFrom("false", "1 / 0", "${process.exit(1)}", "steps.a.failed"),
  },
  { requiredKeys: [] },
);

/** Further fields of a node are opaque. */
/** JSON as it comes out of a file: without a zero below zero, and without a key that would reach a prototype. */
const writtenJson = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)
  .filter((value) => !JSON.stringify(value).includes("__proto__"));

const node = fc.record(
  {
    nodeId: fc.string({ minLength: 1 }),
    nodeType: fc.constantFrom("effect", "compute"),
    reserved: fc.dictionary(fc.constantFrom("dependencies", "condition", "branch"), writtenJson),
  },
  { requiredKeys: ["nodeId", "nodeType"] },
);

const definitionReserved = fc.record(
  {
    compensationEnabled: fc.boolean(),
    sagaPattern: optionalText,
    checkpointEnabled: fc.boolean(),
    executionGraph: fc.record({ version: fc.constant(VERSION), nodes: fc.array(node, { maxLength: 4 }) }),
    coordinationRules: fc.record(
      {
        version: fc.constant(VERSION),
        synchronizationPoints: fc.array(fc.string()),
        maxRetries: fc.nat(),
        retryDelayMs: fc.nat(),
        parallelExecutionAllowed: fc.boolean(),
        failureRecoveryStrategy: fc.constantFrom("RETRY", "ROLLBACK", "COMPENSATE", "ABORT"),
      },
      { requiredKeys: ["version"] },
    ),
  },
  { requiredKeys: [] },
);

const inputReserved = fc.record(
  {
    maxParallelSteps: fc.integer({ min: 1, max: 100 }),
    loadBalancingEnabled: fc.boolean(),
    dependencyResolutionEnabled: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A workflow in which something completes, fails, waits in vain and is skipped. */
const PLAIN: readonly (readonly [string, Written])[] = [
  ["a", {}],
  ["b", { after: ["a"] }],
  ["bad", { errorAction: "continue" }],
  ["stuck", { after: ["bad"] }],
  ["soft", { after: ["a"], skipOnFailure: true }],
  ["off", { enabled: false }],
  ["c", { after: ["b", "off"] }],
];

function stepsWith(reserved: readonly object[]): WorkflowStep[] {
  return PLAIN.map(([name, written], index) => step(name, { ...written, ...reserved[index] }));
}

describe("reserved fields", () => {
  it("PLAN-16 of steps change nothing in the result, whatever they say", async () => {
    const expected = JSON.stringify(await plan(stepsWith([]), { payloadFor: failing("bad") }));
    const reserved = fc.array(stepFieldsReserved, { minLength: PLAIN.length, maxLength: PLAIN.length });
    await fc.assert(
      fc.asyncProperty(reserved, async (fields) => {
        expect(JSON.stringify(await plan(stepsWith(fields), { payloadFor: failing("bad") }))).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-16 of the definition change nothing in the result, whatever they say", async () => {
    const expected = JSON.stringify(await plan(stepsWith([]), { payloadFor: failing("bad") }));
    await fc.assert(
      fc.asyncProperty(definitionReserved, async (fields) => {
        const of = definition({}, fields);
        expect(JSON.stringify(await plan(stepsWith([]), { payloadFor: failing("bad") }, of))).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-16 PLAN-18 of the input change nothing in the output, whatever they say", async () => {
    const outputWith = async (fields: object): Promise<string> => {
      const orchestrator = new NodeOrchestrator(new PlannerFixture());
      orchestrator.workflowDefinition = definition({ executionMode: "parallel" });
      const input = orchestratorInput(
        { workflowId: WORKFLOW_ID, steps: stepsWith([]), ...fields },
        new PlannerFixture(),
      );
      return JSON.stringify(await orchestrator.process(input, { payloadFor: failing("bad") }));
    };
    const expected = await outputWith({});
    await fc.assert(
      fc.asyncProperty(inputReserved, async (fields) => {
        expect(await outputWith(fields)).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the execution graph", () => {
  const nodes = [
    { nodeId: "never", nodeType: "effect", description: "is not a step" },
    { nodeId: "never", nodeType: "compute", reserved: { dependencies: ["never", "gone"], condition: "if_true" } },
  ];

  it("PLAN-16 is not consulted: it may name other steps, repeat ids and have cycles", async () => {
    const of = definition({}, { executionGraph: { version: VERSION, nodes } });
    expect(await plan(graph("a b(a)"), {}, of)).toEqual(await plan(graph("a b(a)")));
    expect(() => validateWorkflowDefinition(of, graph("a b(a)"))).not.toThrow();
  });

  it("PLAN-16 is not even warned about", async () => {
    const printed = (["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level));
    const of = definition({}, { executionGraph: { version: VERSION, nodes } });
    await plan(graph("a"), {}, of);
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it("PLAN-16 CONTRACT-5 keeps its nodes as they were written", () => {
    expect(executionGraph({ version: VERSION, nodes }).nodes).toMatchObject(nodes);
  });
});

describe("a round trip", () => {
  const json = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;

  it("PLAN-16 CONTRACT-5 keeps every field of a step", () => {
    fc.assert(
      fc.property(stepFieldsReserved, (fields) => {
        const built = step("a", { ...fields, after: ["b"], errorAction: "retry" });
        expect(built).toMatchObject(fields);
        expect(workflowStep(json(built), new PlannerFixture())).toEqual(built);
      }),
    );
  });

  it("PLAN-16 CONTRACT-5 keeps every field of a definition", () => {
    fc.assert(
      fc.property(definitionReserved, (fields) => {
        const built = definition({}, fields);
        expect(built).toMatchObject(fields);
        expect(workflowDefinition(json(built))).toEqual(built);
      }),
    );
  });

  it("PLAN-16 keeps every field of an input", () => {
    fc.assert(
      fc.property(inputReserved, (fields) => {
        const built = orchestratorInput(
          { workflowId: WORKFLOW_ID, steps: graph("a"), ...fields },
          new PlannerFixture(),
        );
        expect(built).toMatchObject(fields);
      }),
    );
  });
});

describe("conditions and compensation", () => {
  it("PLAN-16 a condition is not evaluated, not even to see whether it could be", async () => {
    const conditional = workflowStep(
      { ...stepFields("a"), condition: "((", when: "false" } as never,
      new PlannerFixture(),
    );
    expect(outline(await plan([conditional])).completed).toEqual(["a"]);
  });

  it("PLAN-16 a failed step with a compensation emits no action for it", async () => {
    const steps = [step("a", { compensationAction: "undo" }), step("b", { errorAction: "compensate" })];
    const of = definition({}, { compensationEnabled: true, sagaPattern: "orchestration" });
    const { actionsEmitted } = await plan(steps, { payloadFor: failing("b") }, of);
    expect(actionsEmitted.map(({ payload }) => payload["step_id"])).toEqual([stepId("a")]);
  });

  it("PLAN-16 parallelExecutionAllowed: false does not forbid parallel mode", async () => {
    const rules = { coordinationRules: { version: VERSION, parallelExecutionAllowed: false } };
    const result = await plan(graph("a b c(a)"), { executionMode: "parallel" }, definition({}, rules));
    expect(result).toEqual(await plan(graph("a b c(a)"), { executionMode: "parallel" }));
  });

  it("PLAN-16 dependencyResolutionEnabled: false does not switch dependencies off", async () => {
    const orchestrator = new NodeOrchestrator(new PlannerFixture());
    orchestrator.workflowDefinition = workflowDefinition(definitionFields());
    const fields = { workflowId: WORKFLOW_ID, steps: graph("b(a) a"), dependencyResolutionEnabled: false };
    const output = await orchestrator.process(orchestratorInput(fields, new PlannerFixture()));
    expect(output.completedSteps).toEqual([stepId("a"), stepId("b")]);
  });
});
