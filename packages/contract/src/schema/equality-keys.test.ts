import { isJsonArray, isJsonObject, type Json, type JsonSchema } from "@segno/kernel";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { canonicalJson } from "../json/canonical-json.ts";
import { createSchemaCheck } from "./schema-check.ts";

const check = createSchemaCheck();
const fits = (schema: JsonSchema, value: Json): boolean => check(schema, value).length === 0;

/** Longer than a shape that is its own key. */
const LONG = "x".repeat(80);
const TEXTS = ["", "a", "#0", "#1", '"', "[]", "1", "null", LONG, `${LONG}y`];

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: "value" },
    fc.constantFrom<Json>(null, true, false, 0, -0, 1, 1.5, 1e21),
    fc.constantFrom(...TEXTS),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "#0", "__proto__", LONG), tie("value"), { noNullPrototype: true }),
  ),
})).value;

/** An equal value that shares no part with this one, with the keys the other way round. */
function mirrored(each: Json): Json {
  if (isJsonArray(each)) return each.map(mirrored);
  if (!isJsonObject(each)) return each;
  return Object.fromEntries(
    Object.entries(each)
      .toReversed()
      .map(([key, inner]) => [key, mirrored(inner)]),
  );
}

/** Two values; in many pairs they are equal, or differ deep inside. */
const pair = fc.oneof(
  fc.tuple(value, value),
  value.map((each) => [each, mirrored(each)] as const),
  fc.tuple(value, value, value).map(
    ([outer, one, other]) =>
      [
        [outer, [one]],
        [mirrored(outer), [other]],
      ] as const,
  ),
);

it("DATA-2 two values are equal for `uniqueItems`, `const` and `enum` where their canonical JSON is, and nowhere else", () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const isEqual = canonicalJson(one) === canonicalJson(other);
      expect(fits({ uniqueItems: true }, [one, other])).toBe(!isEqual);
      expect(fits({ const: one }, other)).toBe(isEqual);
      expect(fits({ enum: [[LONG], one] }, other)).toBe(isEqual || canonicalJson([LONG]) === canonicalJson(other));
      expect(fits({ items: { enum: [one] }, uniqueItems: true }, [other, [other]])).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it("DATA-2 a constant behind a reference is found by a value that was compared with another one before", () => {
  const schema = { $defs: { c: { const: [LONG] } }, allOf: [{ not: { const: [`${LONG}y`] } }, { $ref: "#/$defs/c" }] };
  expect(fits(schema, [LONG])).toBe(true);
  expect(fits(schema, [`${LONG}z`])).toBe(false);
  expect(fits({ allOf: [{ uniqueItems: true }, { $ref: "#/$defs/c" }], $defs: schema.$defs }, [LONG])).toBe(true);
});
