// Purity: nothing given is changed, nothing outside is asked, nothing is remembered.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  executeWorkflow,
  getExecutionOrder,
  NodeOrchestrator,
  orchestratorInput,
  validateWorkflowDefinition,
  workflowDefinition,
  workflowStep,
  type PlanOptions,
} from "@segno/planner";
import { describe, expect, it, vi } from "vitest";
import {
  definition,
  definitionFields,
  failing,
  graph,
  plan,
  PlannerFixture,
  START_MS,
  step,
  stepFields,
  stepId,
  VERSION,
  WORKFLOW_ID,
} from "./fixture.ts";

const MIXED = [
  step("a"),
  step("off", { enabled: false }),
  step("b", { after: ["a", "off"], priority: 500 }),
  step("bad", { errorAction: "continue" }),
  step("stuck", { after: ["bad"] }),
  step("soft", { skipOnFailure: true, after: ["a"] }),
  step("c", { after: ["b"] }),
];
const mixed = (options: Partial<PlanOptions> = {}) => plan(MIXED, { payloadFor: failing("bad"), ...options });

/** Can be read, however deep; any try to change it throws, and says so by its own words. */
function readOnly<Value extends object>(value: Value): Value {
  const refuse = (): never => {
    throw new Error("a write to what was given");
  };
  return new Proxy(value, {
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  });
}

/** The same data as plain objects and lists that all refuse to be written. */
function readOnlyDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return readOnly(value.map(readOnlyDeep)) as Value;
  return readOnly(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readOnlyDeep(each)]))) as Value;
}

describe("what is given", () => {
  it("PLAN-1 is never written to: lists and options that refuse every write", async () => {
    const { newId, now } = new PlannerFixture();
    const options = readOnly({
      newId,
      now,
      payloadFor: () => readOnlyDeep({ list: [{ deep: { deeper: [1] } }] }),
      failedSteps: readOnly([stepId("bad")]),
      signal: readOnly({ aborted: false }),
      executionMode: "parallel" as const,
    });
    const result = await executeWorkflow(definition(), readOnly([...MIXED]), WORKFLOW_ID, options);
    expect(result.completedSteps).toHaveLength(3);
    expect(result.metadata["errors"]).toHaveLength(2);
    expect(JSON.stringify(result)).not.toContain("a write to what was given");
  });

  it("PLAN-1 may be frozen, however deep", async () => {
    const { newId, now } = new PlannerFixture();
    const payload = Object.freeze({ list: Object.freeze([Object.freeze({ deep: 1 })]) });
    const options = Object.freeze({ newId, now, payloadFor: () => payload, failedSteps: Object.freeze([]) });
    const result = await executeWorkflow(definition(), Object.freeze([...MIXED]), WORKFLOW_ID, options);
    expect(result.executionStatus).toBe("completed");
  });

  it("PLAN-1 is not written to by validation and ordering", () => {
    const steps = readOnly(graph("d(b) b(a) a"));
    expect(() => validateWorkflowDefinition(definition(), steps)).not.toThrow();
    expect(getExecutionOrder(steps, readOnly({ onCycle: "refuse" as const }))).toHaveLength(3);
  });

  it("PLAN-1 PLAN-18 is not written to by process", async () => {
    const orchestrator = new NodeOrchestrator(readOnly(new PlannerFixture()));
    orchestrator.workflowDefinition = definition();
    const fields = { workflowId: WORKFLOW_ID, steps: graph("a b"), metadata: { list: [{ deep: 1 }] } };
    const input = orchestratorInput(fields, new PlannerFixture());
    const before = JSON.stringify(input);
    await orchestrator.process(input, readOnly({ failedSteps: readOnly([stepId("b")]) }));
    expect(JSON.stringify(input)).toBe(before);
  });

  it("PLAN-1 is not written to by the factories, and not frozen by them", () => {
    const fields = readOnlyDeep({ ...stepFields("a", { after: ["b"] }) });
    expect(() => workflowStep(fields, new PlannerFixture())).not.toThrow();
    const rules = { version: { ...VERSION }, synchronizationPoints: ["one"] };
    const parts = definitionFields({}, { coordinationRules: rules });
    expect(() => workflowDefinition(readOnlyDeep(parts))).not.toThrow();
    const built = workflowDefinition(parts);
    rules.synchronizationPoints.push("two");
    expect(built.coordinationRules.synchronizationPoints).toEqual(["one"]);
  });

  it("PLAN-1 PLAN-18 is copied into an input: metadata and steps of the caller stay the caller's", () => {
    const metadata = { list: [1] };
    const steps = graph("a");
    const input = orchestratorInput({ workflowId: WORKFLOW_ID, steps, metadata }, new PlannerFixture());
    metadata.list.push(2);
    steps.push(step("b"));
    expect(input.metadata).toEqual({ list: [1] });
    expect(input.steps).toHaveLength(1);
  });
});

describe("the same again", () => {
  it.each(["sequential", "parallel", "batch"] as const)(
    "PLAN-1 the same inputs and sources give the same result byte for byte, in %s mode",
    async (executionMode) => {
      const [one, two] = [await mixed({ executionMode }), await mixed({ executionMode })];
      expect(JSON.stringify(two)).toBe(JSON.stringify(one));
      expect(two).toStrictEqual(one);
    },
  );

  it("PLAN-1 a thousand calls at once give what they give one by one", async () => {
    const variant = (index: number): Promise<unknown> => {
      const { newId } = new PlannerFixture();
      for (let used = 0; used < index; used++) newId();
      const executionMode = (["sequential", "parallel", "batch"] as const)[index % 3]!;
      return mixed({ newId, now: () => START_MS + index, executionMode });
    };
    const alone: string[] = [];
    for (let index = 0; index < 1000; index++) alone.push(JSON.stringify(await variant(index)));
    const together = await Promise.all(Array.from({ length: 1000 }, (_, index) => variant(index)));
    expect(together.map((result) => JSON.stringify(result))).toEqual(alone);
    expect(new Set(alone).size).toBe(1000);
  });

  it("PLAN-1 a call inside of a call disturbs neither", async () => {
    const inner: Promise<unknown>[] = [];
    const payloadFor = (each: (typeof MIXED)[number]): object => {
      inner.push(mixed());
      return failing("bad")(each);
    };
    const outer = await mixed({ payloadFor });
    const expected = await mixed();
    expect(outer).toEqual(expected);
    for (const result of await Promise.all(inner)) expect(result).toEqual(expected);
  });

  it("PLAN-1 it runs synchronously inside: when the call returns, all payloads have been asked for", async () => {
    const asked: string[] = [];
    const steps = graph("a b(a) c(b)");
    const pending = plan(steps, {
      payloadFor: ({ stepName }) => {
        asked.push(stepName);
        return {};
      },
    });
    steps.length = 0;
    expect(asked).toEqual(["a", "b", "c"]);
    expect((await pending).completedSteps).toHaveLength(3);
  });
});

describe("what is outside", () => {
  it("PLAN-1 is not asked: no clock, no randomness, no timer, no output", async () => {
    const expected = await mixed();
    const spies = [
      vi.spyOn(Date, "now"),
      vi.spyOn(Math, "random"),
      vi.spyOn(performance, "now"),
      vi.spyOn(crypto, "randomUUID"),
      vi.spyOn(crypto, "getRandomValues"),
      vi.spyOn(globalThis, "setTimeout"),
      vi.spyOn(globalThis, "queueMicrotask"),
      vi.spyOn(process, "nextTick"),
      vi.spyOn(process, "emitWarning"),
      ...(["log", "info", "warn", "error", "debug"] as const).map((level) => vi.spyOn(console, level)),
    ];
    const pending = mixed();
    const calls = spies.map((spy) => spy.mock.calls.length);
    for (const spy of spies) spy.mockRestore();
    expect(calls).toEqual(spies.map(() => 0));
    expect(await pending).toEqual(expected);
  });
});

const SOURCE = join(import.meta.dirname, "../src");

function sources(): { readonly file: string; readonly code: string }[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => ({ file, code: withoutComments(readFileSync(join(SOURCE, file), "utf8")) }));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//gu, " ").replaceAll(/(^|\s)\/\/.*$/gmu, "$1");
}

describe("the planner's source", () => {
  const guilty = (pattern: RegExp): string[] =>
    sources().flatMap(({ file, code }) => [...code.matchAll(pattern)].map(([text]) => `${file}: ${text.trim()}`));

  it("PLAN-1 imports the kernel and its own files, and nothing else", () => {
    expect(sources().length).toBeGreaterThan(5);
    expect(guilty(/(?:from|import)\s*\(?\s*["'](?!\.|@segno\/kernel(?:\/[a-z-]+)?["'])[^"']*["']/gu)).toEqual([]);
  });

  it("PLAN-1 names no clock, no randomness, no process and no way around", () => {
    const impure =
      /\b(?:Date\.now|new Date\(\)|Math\.random|crypto|performance|process\.\w+|console|setTimeout|setInterval|queueMicrotask|globalThis|eval|Intl|localeCompare|import\.meta)\b/gu;
    expect(guilty(impure)).toEqual([]);
    expect(guilty(/oxlint-disable|eslint-disable|@ts-(?:ignore|expect-error|nocheck)/gu)).toEqual([]);
  });

  it("PLAN-1 has no variable that outlives a call", () => {
    expect(guilty(/^(?:export )?(?:let|var) .*/gmu)).toEqual([]);
    expect(guilty(/^(?:export )?const .*= new (?:Map|Set|Array)\(\);/gmu)).toEqual([]);
  });
});
