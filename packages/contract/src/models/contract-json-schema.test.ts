import { readFileSync } from "node:fs";

import { isJsonArray, isJsonObject, type Json, type JsonSchema } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { contractJsonSchema, contractJsonSchemaText } from "./contract-json-schema.ts";
import { createSchemaCheck } from "../schema/schema-check.ts";
import { schemaProblems } from "../schema/schema-problems.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const everything = parse(read("../../test/everything.yaml")) as Record<string, Json>;
const check = createSchemaCheck();
const fits = (document: Json): boolean => check(contractJsonSchema(), document).length === 0;

/** Every name of a property that the schema knows, however deep. */
function propertyNames(schema: Json, names = new Set<string>()): ReadonlySet<string> {
  if (isJsonObject(schema)) {
    if (isJsonObject(schema["properties"])) for (const name of Object.keys(schema["properties"])) names.add(name);
    for (const inner of Object.values(schema)) propertyNames(inner, names);
  } else if (isJsonArray(schema)) for (const inner of schema) propertyNames(inner, names);
  return names;
}

describe("the contract's JSON Schema", () => {
  it("CONTRACT-6 stands in the package as the models make it; `npm run generate` writes it", () => {
    expect(read("../../schema/contract.schema.json")).toBe(contractJsonSchemaText());
  });

  it("CONTRACT-6 is a valid schema of draft 2020-12 with a name that is no address", () => {
    const schema = contractJsonSchema();
    expect(schemaProblems(schema as JsonSchema)).toEqual([]);
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema["$id"]).toBe("urn:segno:contract:1");
    expect(JSON.stringify(schema)).not.toContain("__schema");
  });

  it("CONTRACT-6 takes what the loader takes", () => {
    expect(check(contractJsonSchema(), everything)).toEqual([]);
  });

  it.each([
    ["an unknown key", { ...everything, extra: 1 }],
    ["a step without an action", { name: "w", steps: [{ id: "a" }] }],
    ["a step with two actions", { name: "w", steps: [{ id: "a", run: "x", agent: "y" }] }],
    ["a wait for two things", { name: "w", steps: [{ id: "a", wait: { for: "1s", signal: "x" } }] }],
    ["a barrier that is none", { name: "w", steps: [{ id: "a", barrier: false }] }],
    ["an approval by nobody", { name: "w", steps: [{ id: "a", approve: { by: [] } }] }],
    ["a map without steps", { name: "w", steps: [{ id: "a", map: { over: "input", steps: [] } }] }],
    ["a wrong duration", { name: "w", timeout: "5x", steps: [] }],
    ["a wrong id", { name: "w", steps: [{ id: "9", run: "x" }] }],
    [
      "a step in a map without an action",
      { name: "w", steps: [{ id: "a", map: { over: "input", steps: [{ id: "i" }] } }] },
    ],
  ])("CONTRACT-6 refuses %s", (_, document) => {
    expect(fits(document as Json)).toBe(false);
  });

  it("CONTRACT-6 explains every key of a workflow and of a step", () => {
    const definitions = contractJsonSchema()["$defs"] as Record<
      string,
      { properties: Record<string, { description?: string; $ref?: string }> }
    >;
    const silent = ["Contract", "Step"].flatMap((name) =>
      Object.entries(definitions[name]!.properties)
        .filter(([, property]) => property.description === undefined && !isDescribed(definitions, property.$ref))
        .map(([key]) => `${name}.${key}`),
    );
    expect(silent).toEqual([]);
  });

  it("CONTRACT-6 has no key that the reference does not name", () => {
    const reference = read("../../../../docs/reference/contract.md");
    expect([...propertyNames(contractJsonSchema())].filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  });
});

function isDescribed(definitions: Record<string, unknown>, reference: string | undefined): boolean {
  const target = definitions[reference?.replace("#/$defs/", "") ?? ""];
  return (target as { description?: string } | undefined)?.description !== undefined;
}
