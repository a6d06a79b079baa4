import { readFileSync } from "node:fs";

import { isJsonObject, type Json, type JsonObject, type JsonSchema } from "@segno/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { contract } from "../../test/onex-models.ts";
import { onexText, stepText } from "../../test/onex-text.ts";
import { createSchemaCheck } from "../schema/schema-check.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { loadOnexContract } from "./load-onex-contract.ts";
import { onexJsonSchema, onexJsonSchemaText } from "./onex-json-schema.ts";
import { toOnexYaml } from "./to-onex-yaml.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const check = createSchemaCheck();
const misfits = (text: string) => check(onexJsonSchema(), parse(text) as Json);

describe("the JSON Schema of ONEX contracts", () => {
  it("CONTRACT-6 stands in the package as the models make it; `npm run generate` writes it", () => {
    expect(read("../../schema/onex.schema.json")).toBe(onexJsonSchemaText());
  });

  it("CONTRACT-6 is a valid schema with a name that is no address", () => {
    const schema = onexJsonSchema();
    expect(schemaProblems(schema as JsonSchema)).toEqual([]);
    expect(schema["$id"]).toBe("urn:segno:onex:1");
  });

  it("CONTRACT-6 takes what the loader takes: the examples, and whatever models can be written as", () => {
    for (const name of ["data-processing", "etl"])
      expect(misfits(read(`../../../../examples/onex/${name}.yaml`))).toEqual([]);
    fc.assert(
      fc.property(contract, (models) => {
        expect(misfits(toOnexYaml(models))).toEqual([]);
      }),
    );
  });

  it.each([
    ["a step without a name", onexText("step_type: compute")],
    ["a time out of range", onexText(stepText(1, [], "timeout_ms: 99"))],
    ["a name that is too long", onexText(`step_type: compute, step_name: ${"x".repeat(201)}`)],
    ["a dependency by name", onexText(stepText(1).concat(", depends_on: [a]"))],
    ["a definition without a graph", onexText().replace(/ {4}execution_graph.*\n/u, "")],
  ])("CONTRACT-6 refuses %s", (_, text) => {
    expect(misfits(text)).not.toEqual([]);
  });

  it("CONTRACT-6 names the defaults that the models have", () => {
    const { definition, steps } = loadOnexContract(onexText("step_name: a, step_type: compute"));
    const { workflowMetadata, executionGraph, coordinationRules } = definition;
    const models = { WorkflowStep: steps[0]!, WorkflowDefinition: definition, WorkflowMetadata: workflowMetadata };
    const others = { ExecutionGraph: executionGraph, CoordinationRules: coordinationRules };
    for (const [name, model] of Object.entries({ ...models, ...others }))
      expect({ name, ...readDefaults(name) }).toEqual({
        name,
        ...pick(model as unknown as JsonObject, Object.keys(readDefaults(name))),
      });
    // Absent unless written, so that a failure strategy can count (ruling 11); then it is `stop`.
    expect(steps[0]).not.toHaveProperty("errorAction");
  });
});

/** The defaults of a part's keys, by the names of their fields. */
function readDefaults(name: string): JsonObject {
  const part = (onexJsonSchema()["$defs"] as Record<string, { properties: Record<string, JsonObject> }>)[name]!;
  const known = Object.entries(part.properties).filter(
    ([key, schema]) => isJsonObject(schema) && "default" in schema && key !== "error_action",
  );
  return Object.fromEntries(
    known.map(([key, schema]) => [
      key.replaceAll(/_(.)/gu, (_, letter: string) => letter.toUpperCase()),
      schema["default"]!,
    ]),
  );
}

function pick(model: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, model[field]!]));
}
