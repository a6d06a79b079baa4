// Field objects that are no such thing, handed to the factories.

import {
  action,
  executionGraph,
  orchestratorInput,
  semVer,
  ValidationError,
  workflowContext,
  workflowDefinition,
  workflowNode,
  workflowStep,
} from "@segno/planner";
import { describe, expect, it } from "vitest";
import {
  definitionFields,
  graph,
  outline,
  plan,
  listProblems,
  PlannerFixture,
  step,
  stepFields,
  WORKFLOW_ID,
} from "../fixture.ts";

const sources = new PlannerFixture();
const FACTORIES: readonly [string, (fields: never) => unknown][] = [
  ["semVer", semVer],
  ["workflowStep", (fields) => workflowStep(fields, sources)],
  ["workflowDefinition", workflowDefinition],
  ["executionGraph", executionGraph],
  ["workflowNode", workflowNode],
  ["orchestratorInput", (fields) => orchestratorInput(fields, sources)],
  ["action", (fields) => action(fields, sources)],
];

describe.each(FACTORIES)("the factory %s", (_name, make) => {
  it.each([[null], [undefined], [5], ["text"], [true], [[]], [() => 1]])("PLAN-22 refuses %j as fields", (fields) => {
    expect(listProblems(() => make(fields as never))).not.toEqual([]);
  });
});

describe("field values", () => {
  it.each([
    ["a boxed text", { stepName: new String("a") }],
    ["a boxed number", { timeoutMs: new Number(1000) }],
    ["a text with a number in it", { retryCount: "3" }],
    ["a bigint", { priority: 5n }],
    ["infinity", { orderIndex: Number.POSITIVE_INFINITY }],
    ["a number beyond what is exact", { orderIndex: 2 ** 53 }],
    ["a set of dependencies", { dependsOn: new Set([WORKFLOW_ID]) }],
    ["dependencies with a hole", { dependsOn: Object.assign([WORKFLOW_ID], { 2: WORKFLOW_ID }) }],
    ["dependencies that are no texts", { dependsOn: [{ toString: (): string => WORKFLOW_ID }] }],
    ["an id that is nearly one", { stepId: `${WORKFLOW_ID}0` }],
    ["an id with a line break", { stepId: `${WORKFLOW_ID}\n` }],
    ["an id in braces", { stepId: `{${WORKFLOW_ID}}` }],
  ])("PLAN-22 of a step are not coerced: %s", (_name, fields) => {
    const built = (): unknown => workflowStep({ ...stepFields("a"), ...(fields as object) }, sources);
    expect(listProblems(built)).toHaveLength(1);
  });

  it("PLAN-22 a field that throws when it is read does not pass for a built step", () => {
    const fields = Object.defineProperty(stepFields("a"), "priority", {
      get: () => {
        throw new Error("unreadable");
      },
      enumerable: true,
    });
    expect(() => workflowStep(fields, sources)).toThrow();
  });

  it("PLAN-22 a field that changes between two readings is read once: what was checked is what is kept", () => {
    for (let turn = 0; turn < 4; turn++) {
      let reads = 0;
      const fields = Object.defineProperty(stepFields("a"), "timeoutMs", {
        get: () => (reads++ < turn ? 1000 : -5),
        enumerable: true,
      });
      const built = attempt(() => workflowStep(fields, sources));
      expect(built instanceof ValidationError || (built as { timeoutMs: number }).timeoutMs === 1000).toBe(true);
    }
  });
});

describe("data inside of fields", () => {
  it("PLAN-1 a key called __proto__ in the metadata of an input pollutes nothing", () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":1}}') as object;
    const built = attempt(() => orchestratorInput({ workflowId: WORKFLOW_ID, steps: [], metadata } as never, sources));
    if (!(built instanceof ValidationError)) {
      const context = workflowContext(built as ReturnType<typeof orchestratorInput>);
      expect(context["polluted"]).toBeUndefined();
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("PLAN-18 metadata with a cycle is refused, not followed", () => {
    const metadata: Record<string, unknown> = {};
    metadata["self"] = metadata;
    expect(
      listProblems(() => orchestratorInput({ workflowId: WORKFLOW_ID, steps: [], metadata } as never, sources)),
    ).toHaveLength(1);
  });

  it("PLAN-22 a Proxy around a step is the step or is refused, and nothing in between", async () => {
    const outcome = await plan([new Proxy(step("a"), {})]).then(
      (result) => outline(result).completed,
      (error: unknown) => (error as { readonly code: string }).code,
    );
    expect([["a"], "VALIDATION_ERROR"]).toContainEqual(outcome);
  });

  it("PLAN-17 a definition full of mistakes tells every one of them", () => {
    const fields = definitionFields({ workflowName: "", timeoutMs: 5, executionMode: 7 as never });
    const problems = listProblems(() => workflowDefinition({ ...fields, version: "1" } as never));
    expect(new Set(problems.map(({ path }) => path)).size).toBe(4);
  });

  it("PLAN-22 an input takes no steps that are only like steps, and tells each of them", () => {
    const steps = [...graph("a"), { ...step("b") }, null, { ...step("c") }] as never;
    expect(listProblems(() => orchestratorInput({ workflowId: WORKFLOW_ID, steps }, sources))).toHaveLength(3);
  });
});

function attempt(build: () => unknown): unknown {
  try {
    return build();
  } catch (error) {
    return error;
  }
}
