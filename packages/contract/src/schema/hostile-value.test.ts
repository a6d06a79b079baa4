// Values that many schemas look at: each level of a nested value, or each of many schemas for one value. The work is counted,
// so that looking at the whole value again and again is seen on every machine.

import type { Json, JsonObject, JsonSchema } from "@segno/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";

import { measureGrowth } from "../../test/counted-work.ts";
import { Mismatches, type InstanceLocation } from "./mismatches.ts";
import { createSchemaCheck } from "./schema-check.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const check = createSchemaCheck();
const mismatches = (schema: JsonSchema, value: Json): readonly string[] =>
  check(schema, value).map(({ path, message }) => `${path}: ${message}`);

const TOO_MUCH = ": checking the value needs more fuel than a schema may use; simplify the schema";
const TOO_DEEP = ": the value cannot be checked: schemas are applied 1000 levels deep here";
const TOO_LARGE = ": the value cannot be checked: expected at most 10485760 bytes, found more";
const NOT_COMPARABLE = ": the value cannot be compared: schemas, lists and maps nest more than 1000 levels deep here";

function many<Each>(count: number, make: (index: number) => Each): Each[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Applies the schema to the value and to everything in it. */
function atEveryLevel(schema: JsonObject): JsonObject {
  return { $defs: { u: schema }, $ref: "#/$defs/u" };
}

const REST = { $ref: "#/$defs/u" };

function nested(depth: number, inner: Json, wrap: (inner: Json, level: number) => Json): Json {
  let value = inner;
  for (let level = 0; level < depth; level++) value = wrap(value, level);
  return value;
}

const inLists = (depth: number, inner: Json): Json => nested(depth, inner, (value, level) => [value, level]);
const inMaps = (depth: number, inner: Json): Json => nested(depth, inner, (value, level) => ({ level, value }));

describe("a value of many levels", () => {
  const wide = many(2000, (index) => index);

  it.each<readonly [string, JsonObject]>([
    ["uniqueItems", { uniqueItems: true, items: REST }],
    ["not const", { not: { const: [0] }, items: REST }],
    ["const of a list", { anyOf: [{ const: [1, 2] }, { items: REST }] }],
    ["const of a map", { anyOf: [{ const: { a: 1 } }, { items: REST }] }],
    ["enum", { anyOf: [{ enum: [1, [1]] }, { items: REST }] }],
    ["contains", { anyOf: [{ type: "array", contains: { const: [0] } }, { items: REST }] }],
    ["unevaluatedItems", { not: { const: [0] }, unevaluatedItems: REST }],
  ])("CONTRACT-9 `%s` at every level does not look at the levels inside again", (_, schema) => {
    const work = (depth: number): readonly string[] => mismatches(atEveryLevel(schema), inLists(depth, wide));
    expect(work(200)).toEqual([]);
    expect(measureGrowth(100, work)).toBeLessThan(1.5);
  });

  it.each<readonly [string, JsonObject]>([
    ["const", { not: { const: { a: 1 } }, additionalProperties: REST }],
    ["dependentSchemas", { dependentSchemas: { value: { not: { enum: [{ a: 1 }] } } }, additionalProperties: REST }],
    ["propertyNames", { propertyNames: { not: { const: [0] } }, additionalProperties: REST }],
    ["unevaluatedProperties", { not: { const: { a: 1 } }, unevaluatedProperties: REST }],
  ])("CONTRACT-9 `%s` at every level of maps does not look at the levels inside again", (_, schema) => {
    const map = Object.fromEntries(wide.map((index) => [`k${index}`, index]));
    const work = (depth: number): readonly string[] => mismatches(atEveryLevel(schema), inMaps(depth, map));
    expect(work(200)).toEqual([]);
    expect(measureGrowth(100, work)).toBeLessThan(1.5);
  });

  it("CONTRACT-9 all texts that are compared are together as long as the value", () => {
    const long = many(200, (index) => "x".repeat(1000) + index);
    const value = inLists(300, long);
    const written = charactersWritten();
    expect(mismatches(atEveryLevel({ not: { const: [0] }, uniqueItems: true, items: REST }), value)).toEqual([]);
    expect(written()).toBeLessThan(3 * JSON.stringify(value).length);
  });

  it("CONTRACT-9 a mismatch of a branch that is dropped does not walk along its path", () => {
    let reads = 0;
    let location: InstanceLocation | undefined;
    for (let length = 1; length <= 500; length++) {
      const parent = location;
      const readParent = (): InstanceLocation | undefined => (reads++, parent);
      location = Object.defineProperty({ parent, key: 0, length }, "parent", { get: readParent });
    }
    const dropped = new Mismatches();
    for (let index = 0; index < 20; index++) dropped.add({ parent: location, key: index, length: 501 }, "is wrong");
    expect(reads).toBe(0);
    expect(dropped.all[19]).toEqual({ path: `${"[0]".repeat(500)}[19]`, message: "is wrong" });
  });
});

describe("a value without a reasonable end", () => {
  it("CONTRACT-9 a value that is deeper than a check goes is refused wherever it is compared", () => {
    const deep = (depth: number): Json => nested(depth, 1, (value) => [value]);
    for (const schema of [{ uniqueItems: true }, { const: [[0]] }, { enum: [1, [2]] }]) {
      expect(mismatches(schema, [deep(100_000)])).toEqual([NOT_COMPARABLE]);
      expect(mismatches(schema, [deep(1002)])).toEqual([NOT_COMPARABLE]);
      expect(mismatches(schema, [deep(900)])).not.toEqual([NOT_COMPARABLE]);
    }
    expect(mismatches({ uniqueItems: true }, [deep(900), deep(900)])).toHaveLength(1);
    const line = Object.fromEntries(many(900, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]));
    const behindSchemas = { $ref: "#/$defs/d0", $defs: { ...line, d900: { const: [[0]] } } };
    expect(mismatches(behindSchemas, deep(900))).toEqual([NOT_COMPARABLE]);
    expect(mismatches({ uniqueItems: true }, [deep(900), deep(901)])).toEqual([]);
  });

  it("CONTRACT-9 a value that contains itself, or doubles at every level, is refused", () => {
    const circle: Json[] = [];
    circle.push(circle, circle);
    expect(mismatches({ uniqueItems: true }, circle)).toEqual([NOT_COMPARABLE]);
    expect(mismatches(atEveryLevel({ items: REST }), circle)).toEqual([TOO_DEEP]);
    const doubled = nested(30, 1, (value) => [value, value]);
    expect(mismatches({ uniqueItems: true }, [doubled, nested(30, 1, (value) => [value, value])])).toHaveLength(1);
    expect(mismatches(atEveryLevel({ items: REST }), doubled)).toEqual([TOO_LARGE]);
    const twice = many(20, (index) => [`d${index}`, { allOf: many(2, () => ({ $ref: `#/$defs/d${index + 1}` })) }]);
    const manySchemas = { $ref: "#/$defs/d0", $defs: { ...(Object.fromEntries(twice) as JsonObject), d20: true } };
    expect(mismatches(manySchemas, circle)).toEqual([TOO_LARGE]);
    expect(mismatches(atEveryLevel({ items: REST, maxItems: 1 }), doubled)).toHaveLength(20);
  });
});

describe("one value for many schemas", () => {
  const list = many(2000, (index) => index);

  it("CONTRACT-9 many `uniqueItems` compare the items of a list once", () => {
    const schema = (count: number): JsonObject => ({ allOf: many(count, () => ({ uniqueItems: true })) });
    expect(measureGrowthByCount(100, schema, list)).toBeLessThan(1.5);
    expect(mismatches(schema(2), [1, 2, 1])).toEqual([
      ": must NOT have duplicate items (items ## 0 and 2 are identical)",
    ]);
  });

  it("CONTRACT-9 the keys of a large map are listed once", () => {
    const map = Object.fromEntries(many(5000, (index) => [`k${index}`, index]));
    const keysOf = vi.spyOn(Object, "keys");
    expect(mismatches({ allOf: many(100, () => ({ maxProperties: 10_000 })) }, map)).toEqual([]);
    expect(keysOf.mock.calls.filter(([each]) => each === map)).toHaveLength(1);
  });

  it("CONTRACT-9 a large constant is written into a message once, however many items differ from it", () => {
    const constant = many(1000, (index) => `item ${index}`);
    const schema = { items: { not: { const: constant } } };
    expect(mismatches(schema, [constant])).toHaveLength(1);
    const written = charactersWritten();
    expect(mismatches(schema, list)).toEqual([]);
    expect(written()).toBeLessThan(5 * JSON.stringify(constant).length);
  });

  it("CONTRACT-9 layers of `unevaluatedItems` do not look at evaluated items again", () => {
    const layers = (count: number): JsonObject =>
      nested(count, { items: true }, (schema) => ({ allOf: [schema], unevaluatedItems: false })) as JsonObject;
    expect(mismatches(layers(20), list)).toEqual([]);
    expect(measureGrowthByCount(20, layers, list)).toBeLessThan(1.5);
  });

  it("CONTRACT-9 a long text that many constants are compared with costs fuel", () => {
    const text = "a".repeat(100_000);
    const constants = (count: number): JsonObject => ({ allOf: many(count, () => ({ not: { const: "b" } })) });
    expect(mismatches(constants(100), text)).toEqual([]);
    expect(mismatches(constants(1000), text)).toEqual([TOO_MUCH]);
  });
});

/** How many times the work grows when a schema has twice as many parts. Compiling the schemas does not count. */
function measureGrowthByCount(count: number, schemaOf: (count: number) => JsonObject, value: Json): number {
  const schemas = new Map([count, 2 * count].map((each) => [each, schemaOf(each)]));
  for (const schema of schemas.values()) check(schema, value);
  return measureGrowth(count, (each) => check(schemas.get(each)!, value));
}

/** How many characters `JSON.stringify` has written since. */
function charactersWritten(): () => number {
  const stringify = vi.spyOn(JSON, "stringify");
  return () => {
    const sum = stringify.mock.results.reduce((all, { value }) => all + String(value).length, 0);
    stringify.mockRestore();
    return sum;
  };
}
