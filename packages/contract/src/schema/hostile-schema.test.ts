// Schemas and values that are small, and were dear to be checked. Each of these hung, or took all memory.

import type { Json, JsonObject, JsonSchema } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { ContractError } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";
import { createSchemaCheck } from "./schema-check.ts";
import { schemaProblems } from "./schema-problems.ts";

const check = createSchemaCheck();
const mismatches = (schema: JsonSchema, value: Json): readonly string[] =>
  check(schema, value).map(({ path, message }) => `${path}: ${message}`);

const TOO_MUCH = ": checking the value needs more fuel than a schema may use; simplify the schema";

const TOO_DEEP = ": the value cannot be checked: schemas are applied 1000 levels deep here";

function many<Each>(count: number, make: (index: number) => Each): Each[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** 30 definitions, each of which applies the next one twice. */
function doubling(apply: (reference: JsonObject) => JsonObject): JsonObject {
  const definitions = many(30, (index) => [`d${index}`, apply({ $ref: `#/$defs/d${index + 1}` })] as const);
  return { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(definitions), d30: { type: "string" } } };
}

describe("references that double", () => {
  it.each(["allOf", "anyOf", "oneOf"])("CONTRACT-9 a contract with 30 of them in `%s` loads", (keyword) => {
    const schema = doubling((reference) => ({ [keyword]: [reference, reference] }));
    expect(schemaProblems(schema)).toEqual([]);
    expect(loadContract(JSON.stringify({ name: "w", input: schema, steps: [] })).input).toEqual(schema);
  });

  it.each(["allOf", "anyOf"])("CONTRACT-9 a value that is checked against 30 of them in `%s` is refused", (keyword) => {
    expect(
      mismatches(
        doubling((reference) => ({ [keyword]: [reference, reference] })),
        1,
      ),
    ).toEqual([TOO_MUCH]);
  });

  it.each(["allOf", "anyOf", "oneOf"])(
    "CONTRACT-9 a path of 100 fields through two of them in `%s` loads",
    (keyword) => {
      const field = { properties: { a: { [keyword]: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }] } } };
      const input = { $ref: "#/$defs/x", $defs: { x: field, y: field } };
      const when = `input${".a".repeat(100)} == 'b'`;
      expect(loadContract(JSON.stringify({ name: "w", input, steps: [{ id: "s", run: "x", when }] })).input).toEqual(
        input,
      );
    },
  );

  it("CONTRACT-9 variables of an expression that name each other twice load", () => {
    const lets = many(40, (index) => `let $v${index + 1} = ($v${index} || $v${index}) in `).join("");
    const when = `let $v0 = length(input.a) in ${lets}$v40 == 'b'`;
    const input = { properties: { a: { type: "string" } } };
    expect(loadContract(JSON.stringify({ name: "w", input, steps: [{ id: "s", run: "x", when }] })).input).toEqual(
      input,
    );
  });

  it("CONTRACT-9 `if`, `then` and `not` are paid for as well", () => {
    expect(
      mismatches(
        doubling(
          (reference) => JSON.parse('{ "if": R, "then": R }'.replaceAll("R", JSON.stringify(reference))) as JsonObject,
        ),
        "x",
      ),
    ).toEqual([TOO_MUCH]);
    expect(
      mismatches(
        doubling((reference) => ({ not: reference, allOf: [reference] })),
        "x",
      ),
    ).toEqual([TOO_MUCH]);
  });

  it("CONTRACT-9 a recursive schema that doubles with each level of a value is refused for a deep value", () => {
    const schema = {
      $defs: { n: { properties: { a: { allOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] } } } },
      $ref: "#/$defs/n",
    };
    const nested = (depth: number): Json => many(depth, () => 0).reduce<Json>((inner) => ({ a: inner }), 1);
    expect(mismatches(schema, nested(10))).toEqual([]);
    expect(mismatches(schema, nested(40))).toEqual([TOO_MUCH]);
  });
});

describe("large schemas", () => {
  it("CONTRACT-9 10,000 definitions that refer to each other in a line are checked, and a value that follows them is not", () => {
    const schema = {
      $ref: "#/$defs/d0",
      $defs: {
        ...Object.fromEntries(many(10_000, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }])),
        d10000: { type: "string" },
      },
    };
    expect(schemaProblems(schema)).toEqual([]);
    expect(mismatches(schema, 1)).toEqual([TOO_DEEP]);
    expect(mismatches(schema, 1)).toEqual([TOO_DEEP]);
  });

  it("CONTRACT-9 a contract with 5,000 different schemas loads", () => {
    const steps = many(5000, (index) => ({ id: `s${index}`, run: "a", inputSchema: { maxProperties: index } }));
    expect(loadContract(JSON.stringify({ name: "w", steps })).steps).toHaveLength(5000);
  });

  it("CONTRACT-9 an enum of 50,000 values and a list of 50,000 values take one look each", () => {
    const values = many(50_000, (index) => ({ index, list: [index] }));
    expect(mismatches({ items: { enum: values } }, values)).toEqual([]);
    const message = mismatches({ enum: values }, "none")[0]!;
    expect(message).toMatch(/ and 49980 more$/u);
    expect(message.length).toBeLessThan(2500);
  });

  it("CONTRACT-9 `oneOf` with 2,000 branches over 2,000 items is refused, and over 10 items is checked", () => {
    const schema = { items: { oneOf: many(2000, (index) => ({ const: index })) } };
    expect(
      mismatches(
        schema,
        many(10, (index) => index),
      ),
    ).toEqual([]);
    expect(
      mismatches(
        schema,
        many(2000, (index) => index),
      ),
    ).toEqual([TOO_MUCH]);
  });

  it("CONTRACT-9 patterns of a document have one budget together", () => {
    const steps = many(2000, (index) => ({ id: `s${index}`, run: "a", inputSchema: { pattern: `${index}[ab]{900}` } }));
    try {
      loadContract(JSON.stringify({ name: "w", steps }));
    } catch (error) {
      const [first] = (error as ContractError).problems;
      expect(first!.message).toMatch(/the patterns of this document have more than 100000 states$/u);
      return;
    }
    throw new Error("it was accepted");
  });

  it("CONTRACT-9 a pattern of many states over a long text is refused, and a plain one is not", () => {
    expect(mismatches({ pattern: "^(?:a?){900}b$" }, "a".repeat(200_000))).toEqual([TOO_MUCH]);
    expect(mismatches({ pattern: "^[a-z]+$" }, "a".repeat(1_000_000))).toEqual([]);
  });

  it("CONTRACT-9 a format never takes more than linear time", () => {
    for (const format of ["url", "uri", "uri-reference", "email", "hostname", "date-time", "uri-template", "duration"])
      for (const unit of ["a", "a.", "a@", ":", "//a:", "{a}", "1"])
        expect(mismatches({ format }, unit.repeat(20_000)).length).toBeLessThan(2);
  });
});

describe("large values", () => {
  it("CONTRACT-9 `uniqueItems` looks at each item once", () => {
    const items = many(50_000, (index) => ({ index, list: [index, { deep: index }] }));
    expect(mismatches({ uniqueItems: true }, items)).toEqual([]);
    expect(mismatches({ uniqueItems: true }, [...items, { list: [7, { deep: 7 }], index: 7 }])).toEqual([
      ": must NOT have duplicate items (items ## 7 and 50000 are identical)",
    ]);
  });

  it("DATA-2 equality is that of JSON: the order of keys and the way a number is written do not count", () => {
    const same = JSON.parse('[[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [-0, 0], ["\\u0061", "a"]]') as Json[];
    for (const pair of same) expect(mismatches({ uniqueItems: true }, pair)).toHaveLength(1);
    for (const pair of [
      [1, "1"],
      [0, false],
      [null, "null"],
      [[], {}],
      [["a,b"], ["a", "b"]],
      [{ a: 1 }, { a: "1" }],
    ])
      expect(mismatches({ uniqueItems: true }, pair as Json)).toEqual([]);
    expect(mismatches({ const: { a: [1, 2], b: null } }, { b: null, a: [1, 2] })).toEqual([]);
    expect(mismatches({ enum: [[1], { a: 1 }] }, { a: 1.0 })).toEqual([]);
  });

  it("CONTRACT-9 unevaluated keys of nested `allOf` are found without looking at all keys again and again", () => {
    let schema: JsonObject = { properties: Object.fromEntries(many(2000, (index) => [`k${index}`, true])) };
    for (let depth = 0; depth < 25; depth++) schema = { allOf: [schema], unevaluatedProperties: false };
    expect(mismatches(schema, Object.fromEntries(many(2000, (index) => [`k${index}`, index])))).toEqual([]);
  });

  it("CONTRACT-9 a value that nests 100,000 levels deep is a mismatch, not an overflow", () => {
    const schema = { $defs: { n: { items: { $ref: "#/$defs/n" } } }, $ref: "#/$defs/n" };
    const deep = many(100_000, () => 0).reduce<Json>((inner) => [inner], 1);
    expect(mismatches(schema, deep)).toEqual([TOO_DEEP]);
    expect(mismatches({ uniqueItems: true }, [deep])).toHaveLength(1);
  });

  it("DATA-2 characters are counted as code points", () => {
    expect(mismatches({ maxLength: 2, minLength: 2 }, "😀😀")).toEqual([]);
    expect(mismatches({ minLength: 3 }, "😀😀")).toHaveLength(1);
    expect(mismatches({ maxLength: 1 }, "😀😀")).toHaveLength(1);
    expect(mismatches({ maxLength: 1 }, "ab")).toHaveLength(1);
  });
});
