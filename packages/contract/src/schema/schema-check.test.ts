import type { Json, JsonSchema } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { measureGrowth } from "../../test/counted-work.ts";
import { createSchemaCheck } from "./schema-check.ts";

const check = createSchemaCheck();
const mismatches = (schema: JsonSchema, value: Json): readonly string[] =>
  check(schema, value).map(({ path, message }) => `${path}: ${message}`);

const named = (type: string): JsonSchema => ({ $id: "urn:segno:same", type });

describe("checking a value", () => {
  it("DATA-2 a value that fits has no mismatch", () => {
    expect(check({ type: "object", required: ["a"], properties: { a: { type: "integer" } } }, { a: 1 })).toEqual([]);
    expect(check(true, 5)).toEqual([]);
    expect(check({}, null)).toEqual([]);
  });

  it("DATA-2 every mismatch has a place and says what must be", () => {
    const schema = {
      type: "object",
      required: ["name"],
      properties: { list: { type: "array", items: { type: "integer" } }, kind: { enum: ["a", "b"] } },
      additionalProperties: false,
    };
    expect(mismatches(schema, { list: [1, "x", null], kind: "c", extra: 1 })).toEqual([
      "name: is missing",
      "extra: is not a known key",
      "list[1]: must be integer",
      "list[2]: must be integer",
      'kind: must be one of "a", "b"',
    ]);
    expect(mismatches({ const: { a: 1 } }, 1)).toEqual([': must be {"a":1}']);
    expect(mismatches(false, 1)).toEqual([": no value is allowed here"]);
  });

  it("DATA-2 draft-07 is known by its $schema", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      items: [{ type: "string" }],
      additionalItems: false,
    };
    expect(mismatches(schema, ["a"])).toEqual([]);
    expect(mismatches(schema, ["a", "b"])).toHaveLength(1);
  });

  it("DATA-2 a whole number is a multiple of another one only where nothing is left over", () => {
    expect(mismatches({ multipleOf: 3 }, 1_496_059_483_985_613)).toEqual([]);
    expect(mismatches({ multipleOf: 3 }, 1_496_059_483_985_614)).toHaveLength(1);
    expect(mismatches({ multipleOf: 2 }, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
    expect(mismatches({ multipleOf: 0.1 }, 0.3)).toEqual([]);
    expect(mismatches({ multipleOf: 0.1 }, 3)).toEqual([]);
    expect(mismatches({ multipleOf: 0.01 }, 4.35)).toEqual([]);
  });

  it("DATA-2 formats are checked", () => {
    expect(mismatches({ format: "date-time" }, "2030-01-31T09:00:00Z")).toEqual([]);
    expect(mismatches({ format: "date-time" }, "soon")).toHaveLength(1);
  });
});

describe("a hostile schema", () => {
  it("CONTRACT-9 a pattern that would hang another engine is twice the work for twice the text", () => {
    const pattern = (length: number): readonly unknown[] =>
      mismatches({ pattern: "^(a+)+$" }, `${"a".repeat(length)}!`);
    const key = (length: number): readonly unknown[] =>
      mismatches({ patternProperties: { "^(a|a)*$": { type: "string" } } }, { ["a".repeat(length)]: "x" });
    expect(pattern(50_000)).toHaveLength(1);
    expect(key(10_000)).toEqual([]);
    for (const work of [pattern, key]) expect(measureGrowth(5000, work)).toBeLessThan(2.2);
  });

  it("CONTRACT-9 a schema that refers to itself without end is a mismatch, not an overflow", () => {
    for (const schema of [
      { $ref: "#" },
      { allOf: [{ $ref: "#" }] },
      { $ref: "#/$defs/a", $defs: { a: { not: { $ref: "#b" } }, b: { $anchor: "b", anyOf: [{ $ref: "#/$defs/a" }] } } },
    ]) {
      expect(mismatches(schema, 1)).toEqual([
        ": the schema cannot be used: expected a chain of references that ends, found one that refers to itself",
      ]);
    }
  });

  it("DATA-2 a schema may describe values of any depth by referring to itself", () => {
    const tree = {
      $id: "urn:segno:tree",
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
    };
    expect(mismatches(tree, { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] })).toEqual([]);
    expect(mismatches(tree, { name: "a", children: [{ name: "b", children: [{}] }] })).toEqual([
      "children[0].children[0].name: is missing",
    ]);
  });

  it("CONTRACT-9 an invalid schema is a mismatch with the reason", () => {
    expect(mismatches({ type: "strng" }, 1)[0]).toMatch(/^: the schema cannot be used: /u);
    expect(mismatches({ $ref: "https://example.com/schema" }, 1)[0]).toMatch(
      /expected a reference inside this schema/u,
    );
  });

  it("CONTRACT-9 names at most twenty mismatches", () => {
    expect(
      check(
        { items: { type: "string" } },
        Array.from({ length: 10_000 }, (_, index) => index),
      ),
    ).toHaveLength(20);
  });

  it("CONTRACT-9 properties of the prototype are not the value's", () => {
    expect(mismatches({ required: ["toString"] }, {})).toEqual(["toString: is missing"]);
  });

  it("DATA-2 two schemas with one $id do not disturb each other, and thousands of schemas are no burden", () => {
    expect(mismatches(named("string"), "x")).toEqual([]);
    expect(mismatches(named("integer"), "x")).toHaveLength(1);
    for (let index = 0; index < 1000; index++) expect(mismatches({ const: index }, index)).toEqual([]);
  });
});
