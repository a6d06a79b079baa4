// From models to an ONEX contract and back, for models of every kind.

import { semVer, workflowDefinition, workflowStep } from "@segno/planner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { contract } from "../../test/onex-models.ts";
import { uuid } from "../../test/onex-text.ts";
import { loadOnexContract } from "./load-onex-contract.ts";
import { toOnexYaml } from "./to-onex-yaml.ts";

const VERSION = semVer({ major: 1, minor: 0, patch: 0 });
const newId = (): string => "00000000-0000-4000-8000-000000000000";

const plain = {
  definition: workflowDefinition({
    version: VERSION,
    workflowMetadata: { version: VERSION, workflowName: "w", workflowVersion: VERSION, description: "" },
    executionGraph: { version: VERSION },
  }),
  steps: [workflowStep({ stepName: "a", stepType: "compute" }, { newId })],
};

describe("toOnexYaml", () => {
  it("CONTRACT-5 PLAN-16 what it writes loads to models that are equal", () => {
    fc.assert(
      fc.property(contract, (models) => {
        expect(loadOnexContract(toOnexYaml(models))).toEqual(models);
      }),
      { numRuns: 300 },
    );
  });

  it("CONTRACT-5 what was loaded is written the same again", () => {
    fc.assert(
      fc.property(contract, (models) => {
        const text = toOnexYaml(models);
        expect(toOnexYaml(loadOnexContract(text))).toBe(text);
      }),
    );
  });

  it("CONTRACT-5 every field of the models is written under its key, reserved ones and defaults too", () => {
    const { workflow_coordination: written } = parse(toOnexYaml(plain)) as {
      workflow_coordination: { workflow_definition: Record<string, object>; steps: object[] };
    };
    const { workflow_definition: definition, steps } = written;
    const fieldCounts = [
      plain.definition,
      plain.definition.workflowMetadata,
      plain.definition.coordinationRules,
      plain.steps[0]!,
    ];
    const keyCounts = [definition, definition["workflow_metadata"]!, definition["coordination_rules"]!, steps[0]!];
    expect(keyCounts.map((map) => Object.keys(map).length)).toEqual(fieldCounts.map((map) => Object.keys(map).length));
    expect(definition).toMatchObject({ compensation_enabled: false, saga_pattern: null, checkpoint_enabled: false });
    expect(definition["coordination_rules"]).toMatchObject({
      synchronization_points: [],
      max_retries: 3,
      retry_delay_ms: 1000,
    });
    expect(steps[0]).toMatchObject({
      compensation_action: null,
      checkpoint_required: false,
      idempotency_key: null,
      condition: null,
    });
  });

  it("ruling 11 an error action that was not written is not written", () => {
    expect(toOnexYaml(plain)).not.toContain("error_action");
  });

  it("CONTRACT-1 keeps where the agents come from", () => {
    const agents = { NodeEffect: { module: "./nodes.ts", export: "NodeEffect", thread: true } };
    expect(loadOnexContract(toOnexYaml({ ...plain, agents }))).toEqual({ ...plain, agents });
  });

  it("CONTRACT-2 writes versions on one line and everything in its order", () => {
    expect(toOnexYaml(plain).split("\n").slice(0, 8)).toEqual([
      "workflow_coordination:",
      "  workflow_definition:",
      "    version: {major: 1, minor: 0, patch: 0}",
      "    workflow_metadata:",
      "      version: {major: 1, minor: 0, patch: 0}",
      "      workflow_name: w",
      "      workflow_version: {major: 1, minor: 0, patch: 0}",
      '      description: ""',
    ]);
  });
});

describe("the size of what toOnexYaml writes", () => {
  /** A chain of so many steps, of which some have more than the defaults. */
  const makeChain = (length: number) =>
    Array.from({ length }, (_, index) =>
      workflowStep(
        {
          stepId: uuid(index),
          correlationId: uuid(index),
          stepName: `Step ${index}`,
          stepType: "compute",
          dependsOn: index === 0 ? [] : [uuid(index - 1)],
          ...(index % 100 === 0 ? { retryCount: 0, errorAction: "continue" as const, condition: { a: [1] } } : {}),
        },
        { newId },
      ),
    );

  it.each([1600, 1830, 4000])("CONTRACT-5 what it writes of %i steps loads to models that are equal", (length) => {
    const models = { ...plain, steps: makeChain(length) };
    expect(loadOnexContract(toOnexYaml(models))).toEqual(models);
  });

  it("CONTRACT-9 what could not be loaded again is refused, and the limit is named", () => {
    for (const length of [8000, 100_000])
      expect(() => toOnexYaml({ ...plain, steps: makeChain(length) })).toThrow(
        expect.objectContaining({ code: "CONTRACT_TOO_LARGE", message: expect.stringContaining("1,048,576 bytes") }),
      );
  });
});
