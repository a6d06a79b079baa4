// A run of an ONEX contract: the same steps, executed by agents that are named after the nodes.

import {
  compileDefinition,
  compileOrThrow,
  validateDefinition,
  waveCount,
  waveSteps,
  type StepDefinition,
} from "@segno/kernel";
import {
  executeWorkflow,
  getExecutionOrder,
  StepType,
  ValidationError,
  workflowDefinition,
  workflowStep,
} from "@segno/planner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { measureGrowth } from "../../test/counted-work.ts";
import { contract } from "../../test/onex-models.ts";
import { onexText, stepText, uuid } from "../../test/onex-text.ts";
import { definitionHash } from "../json/definition-hash.ts";
import { loadContract } from "../load/load-contract.ts";
import { loadDefinition } from "../load/load-definition.ts";
import { toYaml } from "../convert/to-yaml.ts";
import { definitionFromOnex } from "./definition-from-onex.ts";
import { loadOnexContract } from "./load-onex-contract.ts";
import { nativeIds } from "./native-id.ts";

const converted = (...steps: readonly string[]) => definitionFromOnex(loadOnexContract(onexText(...steps)));
const findStep = (written: string): StepDefinition => converted(stepText(1, [], written)).steps[0]!;
const MODE = "description: d\n      execution_mode: ";
const inMode = (mode: string, ...steps: readonly string[]) =>
  definitionFromOnex(loadOnexContract(onexText(...steps).replace("description: d", MODE + mode)));

describe("a definition from ONEX", () => {
  it("CONTRACT-1 has the workflow's name, version, description and time, and a step for each step", () => {
    expect(converted(stepText(1), stepText(2, [1], "timeout_ms: 500, retry_count: 0"))).toEqual({
      name: "w",
      version: "1.2.3",
      description: "d",
      concurrency: 1,
      sequential: true,
      timeout: 600_000,
      steps: [
        {
          id: "s1",
          name: "s1",
          action: { kind: "agent", agent: "NodeCompute" },
          input: { workflow_id: "${ execution.id }", step_id: uuid(1), step_name: "s1" },
          retry: { attempts: 4 },
          timeout: 30_000,
        },
        {
          id: "s2",
          name: "s2",
          action: { kind: "agent", agent: "NodeCompute" },
          dependsOn: [{ step: "s1", on: "succeeded" }],
          input: { workflow_id: "${ execution.id }", step_id: uuid(2), step_name: "s2" },
          retry: { attempts: 1 },
          timeout: 500,
        },
      ],
    });
  });

  it("CONTRACT-1 compiles, and has the planner's waves, whatever the contract holds", () => {
    fc.assert(
      fc.property(contract, (models) => {
        const definition = definitionFromOnex(models);
        expect(validateDefinition(definition)).toEqual([]);
        const { order } = compileOrThrow(definition);
        const waves = Array.from({ length: waveCount(order) }, (_, wave) => [...waveSteps(order, wave)]).flat();
        const enabled = models.steps.filter((step) => step.enabled);
        const ids = new Set(enabled.map(({ stepId }) => stepId));
        const alone = enabled.map((step) =>
          workflowStep({ ...step, dependsOn: step.dependsOn.filter((id) => ids.has(id)) }, { newId: () => "" }),
        );
        const plan = getExecutionOrder(alone);
        expect(waves.map((index) => models.steps[index]!.stepId)).toEqual(plan);
      }),
    );
  });
});

describe("a definition from ONEX and its likes", () => {
  it("CONTRACT-8 can be written as a native contract and has the same hash then", () => {
    const definition = converted(stepText(1), stepText(2, [1], "enabled: false, error_action: continue"));
    expect(definitionHash(loadContract(toYaml(definition)))).toBe(definitionHash(definition));
  });

  it("PLAN-6 goes to the nodes that the planner's actions go to, with their payload", async () => {
    const types = Object.values(StepType).filter((type) => type !== "conditional");
    const models = loadOnexContract(
      onexText(...types.map((type, index) => stepText(index, []).replace("compute", type))),
    );
    const { actionsEmitted } = await executeWorkflow(models.definition, models.steps, uuid(50), {
      newId: () => uuid(60),
      now: () => 0,
    });
    const { steps } = definitionFromOnex(models);
    expect(steps.map(({ action }) => action)).toEqual(
      actionsEmitted.map(({ targetNodeType }) => ({ kind: "agent", agent: targetNodeType })),
    );
    expect(steps.map(({ input }) => ({ ...(input as object), workflow_id: uuid(50) }))).toEqual(
      actionsEmitted.map(({ payload }) => payload),
    );
  });

  it("PLAN-17 VALIDATION_ERROR what is not valid is refused as the planner refuses it", () => {
    const { definition } = loadOnexContract(onexText());
    const steps = [
      workflowStep(
        { stepId: uuid(1), stepName: "a", stepType: "compute", dependsOn: [uuid(1)] },
        { newId: () => uuid(2) },
      ),
    ];
    expect(() => definitionFromOnex({ definition, steps })).toThrow(ValidationError);
  });
});

describe("what a run may be told", () => {
  const models = loadOnexContract(onexText(stepText(1)));
  const refused = (options: object): readonly string[] => {
    try {
      definitionFromOnex(models, options);
      return [];
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      return error.problems.map(({ reason, path }) => `${path}: ${reason}`);
    }
  };

  it.each([
    [{ executionMode: "streaming" }, "executionMode: reserved-mode"],
    [{ executionMode: "conditional" }, "executionMode: reserved-mode"],
    [{ executionMode: "paralel" }, "executionMode: unknown-mode"],
    [{ globalTimeoutMs: 0 }, "globalTimeoutMs: out-of-range"],
    [{ globalTimeoutMs: "5000" }, "globalTimeoutMs: wrong-type"],
    [{ failureStrategy: "continue" }, "failureStrategy: unknown-value"],
    [{ maxParallelSteps: 0 }, "maxParallelSteps: out-of-range"],
    [{ maxParallelSteps: 1.5 }, "maxParallelSteps: wrong-type"],
    [{ maxParallelStep: 3 }, "maxParallelStep: unknown-field"],
    [null, "(document): wrong-type"],
  ])("PLAN-2 VALIDATION_ERROR %j is refused", (options, problem) => {
    expect(refused(options as object)).toEqual([problem]);
  });

  it("CONTRACT-3 a misspelt option is refused with a suggestion", () => {
    expect(() => definitionFromOnex(models, { globalTimeout: 5 } as never)).toThrow("did you mean `globalTimeoutMs`?");
  });

  it("PLAN-2 a mode that is asked for beats one of the definition that is reserved", () => {
    const streaming = { ...models.definition, workflowMetadata: { ...models.definition.workflowMetadata } };
    const definition = workflowDefinition({
      ...streaming,
      workflowMetadata: { ...streaming.workflowMetadata, executionMode: "streaming" },
    });
    expect(() => definitionFromOnex({ ...models, definition })).toThrow(ValidationError);
    expect(definitionFromOnex({ ...models, definition }, { executionMode: "parallel" }).concurrency).toBe(5);
  });

  it("PLAN-22 what is not a contract is refused as such", () => {
    for (const given of [undefined, null, {}, { definition: {}, steps: [] }, { ...models, steps: [{}] }])
      expect(() => definitionFromOnex(given as never)).toThrow(ValidationError);
  });

  it("GRAPH-7 dependencies are found in whatever letters they are written", () => {
    const id = "abcdef00-0000-4000-8000-000000000000";
    const first = `step_id: ${id}, step_name: a, step_type: compute`;
    const { steps } = converted(first, stepText(2).concat(`, depends_on: [${id.toUpperCase()}]`));
    expect(steps[1]!.dependsOn).toEqual([{ step: "a", on: "succeeded" }]);
  });
});

describe("how it runs", () => {
  it("ruling 3 sequential and batch are one at a time; SCHED-1 parallel is five at once unless told otherwise", () => {
    expect(["sequential", "batch", "parallel"].map((mode) => inMode(mode).concurrency)).toEqual([1, 1, 5]);
    expect(["sequential", "batch", "parallel"].map((mode) => inMode(mode).sequential)).toEqual([true, true, undefined]);
    const models = loadOnexContract(onexText());
    expect(definitionFromOnex(models, { executionMode: "parallel", maxParallelSteps: 9 }).concurrency).toBe(9);
  });

  it("ruling 4 priority orders the queue of a parallel run, relative to the ordinary one, and nothing else", () => {
    const priorities = (mode: string) =>
      inMode(mode, stepText(1), stepText(2, [], "priority: 1000"), stepText(3, [], "priority: 4")).steps.map(
        ({ priority }) => priority,
      );
    expect(priorities("parallel")).toEqual([undefined, undefined, -6]);
    expect(priorities("sequential")).toEqual([undefined, undefined, undefined]);
  });

  it("FAIL-3 retry_count n is n+1 attempts; FAIL-4 an attempt has 30 seconds unless told otherwise", () => {
    expect([findStep("retry_count: 0"), findStep("retry_count: 10")].map(({ retry }) => retry)).toEqual([
      { attempts: 1 },
      { attempts: 11 },
    ]);
    expect(findStep("enabled: true").timeout).toBe(30_000);
    expect(definitionFromOnex(loadOnexContract(onexText()), { globalTimeoutMs: 5000 }).timeout).toBe(5000);
  });

  it("PLAN-8 stop stops the others and anything else lets them go on; continue_on_error is advisory", () => {
    const onError = ["stop", "continue", "retry", "compensate"].map(
      (action) => findStep(`error_action: ${action}`).onError,
    );
    expect(onError).toEqual([undefined, "finish", "finish", "finish"]);
    expect(findStep("continue_on_error: true").onError).toBeUndefined();
  });

  it("PLAN-8 the failure strategy counts for steps without an error action, and never against one", () => {
    const lenient = (...steps: readonly string[]) => {
      const { steps: made } = definitionFromOnex(loadOnexContract(onexText(...steps)), {
        failureStrategy: "continue_on_error",
      });
      return made.map(({ onError }) => onError);
    };
    expect(lenient(stepText(1), stepText(2, [], "error_action: continue"))).toEqual(["finish", "finish"]);
    expect(lenient(stepText(1), stepText(2, [], "error_action: stop"))).toEqual(["finish", undefined]);
  });

  it("GRAPH-5 a disabled step stays, disabled, and may name steps that do not exist", () => {
    const { steps } = converted(stepText(1, [9], "enabled: false"), stepText(2, [1]));
    expect(steps[0]).toMatchObject({ enabled: false });
    expect(steps[0]).not.toHaveProperty("dependsOn");
    expect(compileDefinition(converted(stepText(1, [9], "enabled: false"), stepText(2, [1]))).kind).toBe("program");
  });
});

describe("names", () => {
  const idsFor = (...names: readonly string[]): readonly string[] =>
    converted(...names.map((name) => `step_name: ${JSON.stringify(name)}, step_type: custom`)).steps.map(
      ({ id }) => id,
    );

  it("GRAPH-7 names may repeat; ids are made of them, and are unique", () => {
    expect(idsFor("Fetch Data", "fetch data", "Fetch Data 2", "FETCH-DATA")).toEqual([
      "fetch_data",
      "fetch_data_2",
      "fetch_data_2_2",
      "fetch_data_3",
    ]);
    expect(idsFor("Prüfen!", "3rd", "日本", "...", "constructor", "  a  ")).toEqual([
      "prufen",
      "step_3rd",
      "step",
      "step_2",
      "step_constructor",
      "a",
    ]);
    expect(idsFor("x".repeat(200), "x".repeat(200)).map((id) => id.length)).toEqual([100, 102]);
  });

  it("GRAPH-7 twice as many steps of one name are twice the work", () => {
    const ids = (length: number): readonly string[] => nativeIds(Array.from({ length }, () => "a"));
    expect(new Set(ids(10_000)).size).toBe(10_000);
    expect(measureGrowth(5000, ids)).toBeLessThan(2.2);
  });

  it("CONTRACT-1 a name that is an expression stays a name", () => {
    const names = ["${ secrets.token }", "$${ x }", "${", "a ${ input.b }"];
    const { steps } = converted(...names.map((name) => `step_name: ${JSON.stringify(name)}, step_type: custom`));
    const literals = steps.map(
      ({ input }) =>
        compileOrThrow({ name: "w", output: (input as { step_name: string }).step_name, steps: [] }).output?.template,
    );
    expect(literals).toEqual(names.map((json) => ({ kind: "literal", json })));
  });

  it.each([
    ["etl_pipeline", "etl_pipeline"],
    ["Über uns / täglich", "Uber_uns_taglich"],
    ["日本", "workflow"],
  ])("CONTRACT-1 the workflow %s is called %s", (name, expected) => {
    expect(
      definitionFromOnex(loadOnexContract(onexText().replace("workflow_name: w", `workflow_name: ${name}`))).name,
    ).toBe(expected);
  });
});

describe("loadDefinition", () => {
  it("CONTRACT-1 takes a contract of either kind, and tells them apart by `workflow_coordination`", async () => {
    expect((await loadDefinition(onexText(stepText(1)))).steps[0]!.action).toEqual({
      kind: "agent",
      agent: "NodeCompute",
    });
    expect((await loadDefinition("name: w\nsteps: [{ id: a, run: ':' }]")).steps[0]!.action).toEqual({
      kind: "run",
      script: ":",
    });
  });

  it("CONTRACT-5 ids that are missing are the same for the same text", async () => {
    const texts = [
      "step_name: a, step_type: compute",
      "step_name: a, step_type: compute",
      "step_name: b, step_type: compute",
    ];
    const hashes = await Promise.all(
      texts.map(async (step) => definitionHash(await loadDefinition(onexText(step, step)))),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
    const many = onexText(...Array.from({ length: 50 }, () => "step_name: a, step_type: compute"));
    const ids = (await loadDefinition(many)).steps.map(({ input }) => (input as { step_id: string }).step_id);
    expect(new Set(ids).size).toBe(50);
    expect(ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u.test(id))).toBe(true);
  });
});
