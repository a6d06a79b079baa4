// Models of the planner at random, for properties of the ONEX contract: every field is set, or left to its default.

import {
  ErrorAction,
  FailureRecoveryStrategy,
  workflowDefinition,
  workflowStep,
  type WorkflowStep,
} from "@segno/planner";
import * as fc from "fast-check";

import type { OnexContract } from "../src/onex/load-onex-contract.ts";
import { AWKWARD_TEXT } from "./awkward-text.ts";

/** Text that a template or the derivation of ids could misread. */
const awkward = fc.constantFrom(
  ...AWKWARD_TEXT,
  "${ input.a }",
  "$${",
  "${",
  "constructor",
  "step_2",
  "Load",
  "load",
  "Prüfen",
  "日本",
  "\u0007",
  "\u0085\u2028",
);
const text: fc.Arbitrary<string> = fc.oneof(
  awkward,
  fc.constant(""),
  fc.string({ maxLength: 30, unit: "grapheme" }).filter((each) => each.isWellFormed()),
);
const name = fc.oneof(
  awkward,
  text.filter((each) => each !== ""),
);
const version = fc.record({ major: fc.nat(), minor: fc.nat(), patch: fc.nat() });
const key = fc
  .oneof(awkward, fc.constantFrom("branch_condition", "saga", "nested", "reserved", "steps"))
  .filter((each) => !["constructor", "<<", "node_id", "node_type", "description"].includes(each));
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const node = fc.record(
  {
    nodeId: text,
    nodeType: text,
    description: fc.option(text),
    reserved: fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ["nodeId", "nodeType"] },
);

const rules = fc.record(
  {
    version,
    synchronizationPoints: fc.array(text, { maxLength: 3 }),
    parallelExecutionAllowed: fc.boolean(),
    failureRecoveryStrategy: fc.constantFrom(...Object.values(FailureRecoveryStrategy)),
    maxRetries: fc.integer(),
    retryDelayMs: fc.integer(),
  },
  { requiredKeys: ["version"] },
);

const metadata = fc.record(
  {
    version,
    workflowName: name,
    workflowVersion: version,
    description: text,
    executionMode: fc.constantFrom("sequential" as const, "parallel" as const, "batch" as const),
    timeoutMs: fc.integer({ min: 1000 }),
  },
  { requiredKeys: ["version", "workflowName", "workflowVersion", "description"] },
);

const definition: fc.Arbitrary<OnexContract["definition"]> = fc
  .record(
    {
      version,
      workflowMetadata: metadata,
      executionGraph: fc.record({ version, nodes: fc.array(node, { maxLength: 3 }) }, { requiredKeys: ["version"] }),
      coordinationRules: rules,
      compensationEnabled: fc.boolean(),
      sagaPattern: fc.option(text),
      checkpointEnabled: fc.boolean(),
    },
    { requiredKeys: ["version", "workflowMetadata", "executionGraph"] },
  )
  .map((fields) => workflowDefinition(fields as Parameters<typeof workflowDefinition>[0]));

const stepFields = fc.record(
  {
    stepId: fc.uuid(),
    correlationId: fc.uuid(),
    stepName: name,
    stepType: fc.constantFrom(
      "compute" as const,
      "effect" as const,
      "reducer" as const,
      "orchestrator" as const,
      "parallel" as const,
      "custom" as const,
    ),
    timeoutMs: fc.integer({ min: 100, max: 300_000 }),
    retryCount: fc.integer({ min: 0, max: 10 }),
    enabled: fc.boolean(),
    skipOnFailure: fc.boolean(),
    continueOnError: fc.boolean(),
    errorAction: fc.constantFrom(...Object.values(ErrorAction)),
    maxMemoryMb: fc.option(fc.integer({ min: 1, max: 32_768 })),
    maxCpuPercent: fc.option(fc.integer({ min: 1, max: 100 })),
    priority: fc.integer({ min: 1, max: 1000 }),
    orderIndex: fc.nat(),
    parallelGroup: fc.option(text),
    maxParallelInstances: fc.integer({ min: 1, max: 100 }),
    compensationAction: fc.option(text),
    checkpointRequired: fc.boolean(),
    idempotencyKey: fc.option(text),
    condition: fc.option(text),
  },
  { requiredKeys: ["stepId", "correlationId", "stepName", "stepType"] },
);

/** Each depends on some of those before it, in any order, perhaps twice on the same; then all are put in another order. */
const steps: fc.Arbitrary<readonly WorkflowStep[]> = fc
  .uniqueArray(fc.tuple(stepFields, fc.array(fc.nat(), { maxLength: 3 })), {
    maxLength: 8,
    selector: ([{ stepId }]) => stepId,
  })
  .map((list) =>
    list.map(([fields, earlier], index) => {
      const dependsOn = index === 0 ? [] : earlier.map((each) => list[each % index]![0].stepId);
      return workflowStep({ ...fields, dependsOn }, { newId: () => "" });
    }),
  )
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

export const contract: fc.Arbitrary<OnexContract> = fc.record({ definition, steps }, { noNullPrototype: true });
