// A refused expression is always wrong: for every value that fits the schema, the field is null and the comparison is constant.

import { compute, parseExpression, validateDefinition, type Json, type JsonSchema } from "@segno/kernel";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { createSchemaCheck } from "./schema-check.ts";

const NAMES = ["a", "b", "c"];
const LITERALS: readonly Json[] = [0, 1, 1.5, "x", "1", true, false];

const name = fc.constantFrom(...NAMES);
const literal = fc.constantFrom(...LITERALS);
const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.record({ type: fc.constantFrom("integer", "number", "string", "boolean", "object", "array", "null") }),
  fc.record({ type: fc.constantFrom(["integer", "string"], ["boolean", "null"]) }),
  fc.record({ enum: fc.uniqueArray(literal, { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: literal }),
  fc.constant({}),
);

/** Objects are closed in so many words: that other schemas with `properties` count as closed is a convention (decision 22). */
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 2 }),
      additionalProperties: fc.constant(false),
    }),
    fc.record({ items: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({
      allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
    }),
  ),
}));

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    literal,
    fc.constant(null),
    fc.dictionary(name, tie("value"), { maxKeys: 2 }),
    fc.array(tie("value"), { maxLength: 2 }),
  ),
}));

const path = fc
  .array(
    fc.oneof(
      name.map((each) => `.${each}`),
      fc.constant("[0]"),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => `input${parts.join("")}`);
const operator = fc.constantFrom("==", "!=", "<", ">=");

function result(source: string, input: Json): Json {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  const computed = compute(parsed.expression, { input });
  if (computed.kind === "failure") throw new Error(computed.failure.message);
  return computed.value;
}

function listCodes(input: JsonSchema, when: string): readonly string[] {
  const action = { kind: "run", script: "x" } as const;
  return validateDefinition({ name: "w", input, steps: [{ id: "a" as never, action, when }] }).map(({ code }) => code);
}

it("CONTRACT-11 a field that is refused is null, and a comparison that is refused has one result, for every input that fits", () => {
  const check = createSchemaCheck();
  const seen = { UNKNOWN_FIELD: 0, FIXED_COMPARISON: 0 };
  const property = fc.property(
    schema,
    fc.array(value, { minLength: 5, maxLength: 12 }),
    path,
    operator,
    literal,
    (input, values, read, compares, with_) => {
      const comparison = `${read} ${compares} ${typeof with_ === "string" ? `'${with_}'` : `\`${JSON.stringify(with_)}\``}`;
      const codes = listCodes(input, comparison);
      if (codes.length === 0) return;
      for (const given of values.filter((each) => check(input, each).length === 0)) {
        if (codes.includes("UNKNOWN_FIELD")) {
          seen.UNKNOWN_FIELD++;
          expect(result(read, given)).toBeNull();
        }
        seen.FIXED_COMPARISON++;
        expect(result(comparison, given)).not.toBe(compares !== "!=");
      }
    },
  );
  fc.assert(property, { numRuns: 600, seed: 19 });
  expect(seen.UNKNOWN_FIELD).toBeGreaterThan(20);
  expect(seen.FIXED_COMPARISON).toBeGreaterThan(100);
});
