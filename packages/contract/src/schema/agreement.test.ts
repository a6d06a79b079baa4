// Properties over generated schemas and values: the interpreter and Ajv, a compiler of the same dialects, give the same
// verdict. Schemas and values use few names and few constants, so that keywords meet what they ask for.

import type { Json, JsonObject, JsonSchema } from "@segno/kernel";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { createSchemaCheck } from "./schema-check.ts";
import { schemaProblems } from "./schema-problems.ts";

const OPTIONS = { strict: false, logger: false, validateSchema: false, ownProperties: true } as const;

function withFormats<Instance extends Ajv>(instance: Instance): Instance {
  formats.default(instance);
  return instance;
}

const KEYS = ["a", "b", "ab", "c"] as const;
const key = fc.constantFrom(...KEYS);
const TEXTS = ["", "a", "ab", "abab", "😀", "2026-11-17", "2026-02-30", "12:00:00Z", "a@b.example", "::1", "1.2.3.4"];
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, 2, 3, 1.5, -1, 1e20),
  fc.constantFrom(...TEXTS),
);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const count = fc.nat(3);
const typeName = fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object");

/** Keywords with scalar arguments; each alone, so that most schemas have few. */
const scalarKeyword: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })) }),
  fc.record({ const: value }),
  fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  fc.record({ minimum: count }),
  fc.record({ maximum: count }),
  fc.record({ exclusiveMinimum: count }),
  fc.record({ exclusiveMaximum: count }),
  fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
  fc.record({ minLength: count }),
  fc.record({ maxLength: count }),
  fc.record({ pattern: fc.constantFrom("^a", "b$", "^(ab)*$", ".") }),
  fc.record({ format: fc.constantFrom("date", "time", "email", "ipv4", "ipv6") }),
  fc.record({ minItems: count }),
  fc.record({ maxItems: count }),
  fc.record({ uniqueItems: fc.boolean() }),
  fc.record({ minProperties: count }),
  fc.record({ maxProperties: count }),
  fc.record({ required: fc.uniqueArray(key, { maxLength: 2 }) }),
);

type Within = fc.Arbitrary<JsonSchema>;
type Keywords = (schema: Within) => fc.Arbitrary<JsonObject>[];

/** Keywords that hold schemas, in both dialects. */
const shared: Keywords = (schema) => {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const byKey = fc.dictionary(key, schema, { maxKeys: 3, noNullPrototype: true });
  return [
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: schema }),
    // The linter refuses literals with `then`, which could be awaited by mistake.
    fc
      .tuple(schema, schema, schema)
      .map((each) => Object.fromEntries(["if", "then", "else"].map((k, i) => [k, each[i]!]))),
    fc.record({ properties: byKey, additionalProperties: schema }, { requiredKeys: ["properties"] }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), schema, { noNullPrototype: true }) }),
    fc.record({ propertyNames: schema }),
    fc.constant({ $ref: "#/definitions/d" }),
  ] as fc.Arbitrary<JsonObject>[];
};

const ofDraft7: Keywords = (schema) => [
  fc.record({ contains: schema }),
  fc.record({ items: schema }),
  fc.record({
    items: fc.array(schema, { minLength: 1, maxLength: 2 }),
    additionalItems: schema,
  }),
  fc.record({ dependencies: fc.dictionary(key, schema, { maxKeys: 2, noNullPrototype: true }) }),
];

const of2020: Keywords = (schema) => [
  fc.record({ prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }), items: schema }),
  fc.record({ contains: schema, minContains: count, maxContains: count }, { requiredKeys: ["contains"] }),
  fc.record({ dependentSchemas: fc.dictionary(key, schema, { maxKeys: 2, noNullPrototype: true }) }),
  fc.record({ dependentRequired: fc.dictionary(key, fc.uniqueArray(key), { maxKeys: 2, noNullPrototype: true }) }),
];

/** Ajv accepts an empty list for `contains` beside schemas of items. */
function isWronglyChecked(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.includes('"contains"') && text.includes('"items"');
}

/** Returns undefined if the code that Ajv generates for the schema throws. */
function verdict(validate: (data: unknown) => unknown, data: Json): boolean | undefined {
  try {
    return validate(data) === true;
  } catch {
    return undefined;
  }
}

function makeSchema(own: Keywords): fc.Arbitrary<JsonObject> {
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
    const parts = fc.oneof(
      { maxDepth: 3, depthIdentifier: "schema" },
      scalarKeyword,
      ...shared(tie("schema")),
      ...own(tie("schema")),
    );
    const object = fc
      .array(parts, { minLength: 1, maxLength: 3 })
      .map((each) => Object.assign({}, ...each) as JsonObject);
    return { schema: fc.oneof({ weight: 8, arbitrary: object }, { weight: 1, arbitrary: fc.boolean() }) };
  });
  // A reference leads to a schema without references, so that every check ends.
  return fc
    .tuple(schema, scalarKeyword)
    .map(([root, d]) => ({ ...(typeof root === "boolean" ? { not: !root } : root), definitions: { d } }));
}

it.each([
  ["draft 2020-12", of2020, () => withFormats(new Ajv2020(OPTIONS)), undefined],
  ["draft-07", ofDraft7, () => withFormats(new Ajv(OPTIONS)), "http://json-schema.org/draft-07/schema#"],
] as const)("DATA-2 a value fits a schema of %s where Ajv says so, and nowhere else", (_, own, create, uri) => {
  const check = createSchemaCheck();
  fc.assert(
    fc.property(makeSchema(own), fc.array(value, { minLength: 1, maxLength: 6 }), (body, values) => {
      const schema = uri === undefined ? body : { $schema: uri, ...body };
      if (schemaProblems(schema).length > 0 || isWronglyChecked(schema)) return;
      const validate = create().compile(schema);
      for (const each of values) {
        const expected = verdict(validate, each);
        if (expected === undefined) continue;
        const fits = check(schema, each).length === 0;
        expect({ schema, value: each, fits }).toEqual({ schema, value: each, fits: expected });
      }
    }),
    { numRuns: 300 },
  );
});

// Ajv is no oracle for `unevaluated…`: it keeps what a failed branch evaluated, and crashes on some schemas.
it.each<readonly [string, JsonSchema, Json, boolean]>([
  ["a sibling counts", { properties: { a: true }, unevaluatedProperties: false }, { a: 1 }, true],
  ["the rest is refused", { properties: { a: true }, unevaluatedProperties: false }, { a: 1, b: 1 }, false],
  ["a branch that fits counts", { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, true],
  [
    "a branch that fails does not count",
    { anyOf: [{ properties: { a: true }, required: ["b"] }, true], unevaluatedProperties: false },
    { a: 1 },
    false,
  ],
  [
    "a cousin does not count",
    { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    { a: 1 },
    false,
  ],
  [
    "`not` evaluates nothing",
    { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
    { a: 1 },
    false,
  ],
  ["`if` counts where it fits", { if: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }, true],
  ["items before count", { prefixItems: [true], unevaluatedItems: false }, [1], true],
  ["items behind are refused", { prefixItems: [true], unevaluatedItems: false }, [1, 2], false],
  ["what `contains` found counts", { contains: { const: 1 }, unevaluatedItems: false }, [1, 1], true],
  ["what it did not find is refused", { contains: { const: 1 }, unevaluatedItems: false }, [1, 2], false],
  [
    "items of a failed branch of `oneOf` do not count",
    { oneOf: [true, { unevaluatedItems: { const: 1 } }], unevaluatedItems: false },
    [null],
    false,
  ],
])("DATA-2 unevaluated: %s", (_, schema, each, fits) => {
  expect(createSchemaCheck()(schema, each).length === 0).toBe(fits);
});
