import { formatJsonPath, type JsonSchema } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { ContractError } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";
import { schemaProblems } from "./schema-problems.ts";

const problemTexts = (schema: JsonSchema): readonly string[] =>
  schemaProblems(schema).map(({ code, path }) => `${formatJsonPath(path)} ${code}`);

const GOOD: readonly JsonSchema[] = [
  true,
  {},
  { type: ["string", "null"] },
  { $defs: { a: { type: "string" } }, properties: { b: { $ref: "#/$defs/a" } } },
  { properties: { pattern: { type: "string" }, $ref: { type: "string" } } },
  {
    const: { $ref: "https://example.com" },
    enum: [{ pattern: "(?=" }],
    default: { type: 5 },
    examples: [{ format: "x" }],
  },
  { "x-note": 1, title: "t", description: "d", deprecated: true, readOnly: true, $comment: "c" },
  { pattern: "^[\\w-]+\\/\\d{3}$", patternProperties: { "^x-": true } },
  JSON.parse('{ "if": { "type": "string" }, "then": { "minLength": 1 }, "else": false }') as JsonSchema,
  { dependentSchemas: { a: {} }, unevaluatedProperties: false },
  { $id: "https://json-schema.org/draft/2020-12/schema", type: "string" },
  { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }], format: "email" },
];

const BAD: readonly (readonly [JsonSchema, string])[] = [
  [{ type: "strng" }, "type SCHEMA_INVALID"],
  [{ properties: { a: { type: 5 } } }, "properties.a.type SCHEMA_INVALID"],
  [{ properties: [] }, "properties SCHEMA_INVALID"],
  [{ minimum: "5" }, "minimum SCHEMA_INVALID"],
  [{ requried: ["a"] }, "requried SCHEMA_INVALID"],
  [{ properties: { a: { format: "emial" } } }, "properties.a.format SCHEMA_INVALID"],
  [{ $schema: "http://json-schema.org/draft-04/schema#" }, "$schema SCHEMA_INVALID"],
  [{ $ref: "https://example.com/schema.json" }, "$ref SCHEMA_REFERENCE"],
  [{ items: { $ref: "other.json#/a" } }, "items.$ref SCHEMA_REFERENCE"],
  [{ allOf: [{ $ref: "#/$defs/missing" }] }, "allOf[0].$ref SCHEMA_REFERENCE"],
  [{ properties: { a: { $id: "urn:segno:a" } } }, "properties.a.$id SCHEMA_REFERENCE"],
  [{ $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } }, "$defs.a.anyOf[0].$ref SCHEMA_REFERENCE"],
  [{ properties: { a: { items: 5 } } }, "properties.a.items SCHEMA_INVALID"],
  [{ properties: { a: 5 } }, "properties.a SCHEMA_INVALID"],
  [{ anyOf: [{}, "x"] }, "anyOf[1] SCHEMA_INVALID"],
  [{ anyOf: [] }, "anyOf SCHEMA_INVALID"],
  [{ required: ["a", "a"] }, "required SCHEMA_INVALID"],
  [{ multipleOf: 0 }, "multipleOf SCHEMA_INVALID"],
  [{ minLength: -1 }, "minLength SCHEMA_INVALID"],
  [{ $dynamicRef: "#nowhere" }, "$dynamicRef SCHEMA_REFERENCE"],
  [{ $ref: "#/const", const: 5 }, "$ref SCHEMA_REFERENCE"],
  [{ pattern: "a".repeat(5000) }, "pattern SCHEMA_PATTERN"],
  [{ pattern: "(?:(?:ab){999}c){999}" }, "pattern SCHEMA_PATTERN"],
  [{ pattern: "[(]{999}".repeat(100) }, "pattern SCHEMA_PATTERN"],
  [{ pattern: "(?=a)" }, "pattern SCHEMA_PATTERN"],
  [{ pattern: "(a)\\1" }, "pattern SCHEMA_PATTERN"],
  [{ pattern: "(" }, "pattern SCHEMA_PATTERN"],
  [{ patternProperties: { "(?!x)": {} } }, 'patternProperties["(?!x)"] SCHEMA_PATTERN'],
];

const PLACES: readonly (readonly [string, string])[] = [
  ["input: { type: strng }\nsteps: []", "2:16"],
  ["steps: [{ id: a, run: x, inputSchema: { type: strng } }]", "2:47"],
  ["steps: [{ id: a, run: x, output: { schema: { type: strng } } }]", "2:52"],
  ["steps: [{ id: a, wait: { signal: s, schema: { type: strng } } }]", "2:53"],
  ["steps: [{ id: a, map: { over: input, steps: [{ id: b, run: x, inputSchema: { type: strng } }] } }]", "2:84"],
  ["steps: [{ id: a, approve: { schema: { type: strng } } }]", "2:45"],
  [
    "steps: [{ id: a, repeat: { max: 2, until: last, steps: [{ id: b, run: x, inputSchema: { type: strng } }] } }]",
    "2:95",
  ],
];

describe("a user's schema", () => {
  it.each(GOOD)("CONTRACT-3 %j is taken", (schema) => {
    expect(schemaProblems(schema)).toEqual([]);
  });

  it.each(BAD)("CONTRACT-3 %j is refused with its place", (schema, expected) => {
    expect(problemTexts(schema)).toEqual([expected]);
  });

  it("CONTRACT-3 a misspelt keyword or type says which was meant", () => {
    expect(schemaProblems({ requried: ["a"] })[0]!.hint).toBe("did you mean `required`?");
    expect(schemaProblems({ type: "strng" })[0]!.hint).toBe("did you mean `string`?");
  });

  it.each(PLACES)("CONTRACT-3 is checked at load wherever it stands: %s", (text, place) => {
    try {
      loadContract(`name: w\n${text}`);
    } catch (error) {
      const problems = (error as ContractError).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);
      expect(problems).toEqual([`${place} SCHEMA_INVALID`]);
      return;
    }
    throw new Error("it was accepted");
  });
});
