// Reserved fields keep any JSON value.

import { describe, expect, it } from "vitest";
import { ValidationError } from "../errors/validation-error.ts";
import { coordinationRules } from "./coordination-rules.ts";
import { executionGraph } from "./execution-graph.ts";
import { workflowDefinition } from "./workflow-definition.ts";
import { workflowStep } from "./workflow-step.ts";

const ID = "0f0f0f0f-0000-4000-8000-00000000000a";
const version = { major: 1, minor: 0, patch: 0 };
const metadata = { version, workflowName: "w", workflowVersion: version, description: "" };
const FACTORIES: Readonly<Record<string, (fields: object) => object>> = {
  step: (fields) => workflowStep({ stepName: "s", stepType: "custom", ...fields }, { newId: () => ID }),
  definition: (fields) =>
    workflowDefinition({ version, workflowMetadata: metadata, executionGraph: { version }, ...fields }),
  rules: (fields) => coordinationRules({ version, ...fields }),
  graph: (fields) => executionGraph({ version, ...fields }),
};

describe("what is reserved", () => {
  const RESERVED = [
    ["step", "condition"],
    ["step", "compensationAction"],
    ["step", "checkpointRequired"],
    ["step", "idempotencyKey"],
    ["definition", "compensationEnabled"],
    ["definition", "sagaPattern"],
    ["definition", "checkpointEnabled"],
    ["rules", "synchronizationPoints"],
    ["rules", "maxRetries"],
    ["rules", "retryDelayMs"],
    ["graph", "nodes"],
  ] as const;

  it.each(RESERVED)("PLAN-16 %s.%s is kept whatever its type", (factory, field) => {
    const make = (value: unknown) => () => FACTORIES[factory]!({ [field]: value });
    for (const value of [null, true, -1.5, "", "x", [1, ["y"]]]) expect(make(value)()).toHaveProperty(field, value);
    for (const value of [{ deep: { steps: [1] } }]) expect(make(value)()).toHaveProperty(field, value);
    expect(make(1n)).toThrow(ValidationError);
  });
});
