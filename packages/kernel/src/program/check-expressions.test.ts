// Expressions that can never be right: fields that no schema has, variables that no step writes, comparisons with a fixed result.

import { describe, expect, it } from "vitest";
import type { JsonSchema, StepDefinition, Template } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import { durationMs, stepId } from "../model/units.ts";
import { map, problemPaths, problems, step, workflow } from "../../test/properties/written-steps.ts";
import { compileExpansion } from "./compile.ts";

/** An agent, whose output has no known shape. */
const AGENT = { action: { kind: "agent", agent: "x" } } as const;
const INPUT: JsonSchema = {
  type: "object",
  properties: {
    channel: { enum: ["stable", "next"] },
    count: { type: "integer" },
    size: { type: "number" },
    tag: { type: "string" },
    ok: { type: "boolean" },
    files: { type: "array", items: { $ref: "#/$defs/file" } },
    extra: { type: "object" },
  },
  $defs: { file: { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } } },
};

function when(source: string, input: JsonSchema = INPUT): readonly string[] {
  return problems([step("a", { when: source })], { input });
}

function codes(source: string, input: JsonSchema = INPUT): readonly string[] {
  return when(source, input).map((line) => line.slice(0, line.indexOf(" ")));
}

describe("CONTRACT-11 a name that the input's schema does not have is refused", () => {
  it("CONTRACT-11 with the expected type, and the name that was probably meant", () => {
    expect(when("input.chanel == 'next'")).toEqual([
      "UNKNOWN_FIELD steps[0].when: `input.chanel == 'next'` reads `input.chanel`, which never exists: expected channel, count, size, tag, ok, files, extra => did you mean `input.channel`?",
    ]);
  });

  it.each([
    "input.count.x",
    "input.channel.name",
    "input.files[0].nam",
    "input.files[*].nam",
    "input.files[?siz > `1`]",
    "sort_by(input.files, &siz)[0]",
    "input.tag[0]",
    "input | chanel",
    "let $i = input in $i.chanel",
    "$.input.chanel",
    "input.ok && input.chanel",
    "input.channel == 'next' || !(input.chanel)",
    "{ a: input.tag }.b",
  ])("CONTRACT-11 in every position: %s", (source) => {
    expect(codes(source)).toEqual(["UNKNOWN_FIELD"]);
  });

  it.each([
    "input.extra.anything",
    "input.files[0].name == 'x'",
    "input.files[?size > `1`].name",
    "input.tag[0:2] == 'v1'",
    "length(input.files) > `1`",
    "reverse(input.channel) == 'elbats'",
    "(input.channel || 'none') == 'none'",
    "input.channel == `null`",
  ])("CONTRACT-11 an expression that may be right is not reported: %s", (source) => {
    expect(when(source)).toEqual([]);
  });
});

describe("CONTRACT-11 schemas are read conservatively", () => {
  const open: readonly (readonly [string, JsonSchema])[] = [
    ["no schema at all", true],
    ["no properties", { type: "object" }],
    ["additional properties", { properties: { a: {} }, additionalProperties: true }],
    ["a schema for additional properties", { properties: { a: {} }, additionalProperties: { type: "string" } }],
    ["patterns of names", { properties: { a: {} }, patternProperties: { "^x": {} } }],
    ["conditions", { properties: { a: {} }, if: {}, else: { properties: { x: {} } } }],
    ["a required name", { properties: { a: {} }, required: ["x"] }],
    ["one alternative that has it", { anyOf: [{ properties: { a: {} } }, { properties: { x: {} } }] }],
    ["one alternative that says nothing", { oneOf: [{ properties: { a: {} } }, { type: "object" }] }],
    ["one part that has it", { allOf: [{ properties: { a: {} } }, { properties: { x: {} } }] }],
    ["a reference that has it", { $ref: "#/$defs/b", properties: { a: {} }, $defs: { b: { properties: { x: {} } } } }],
    ["an anchor", { $ref: "#b", properties: { a: {} }, $defs: { b: { $anchor: "b", properties: { x: {} } } } }],
  ];
  it.each(open)("CONTRACT-11 %s leaves the name open", (_, schema) => {
    expect(when("input.x", schema)).toEqual([]);
  });

  const closed: readonly (readonly [string, JsonSchema])[] = [
    ["no other properties", { additionalProperties: false }],
    ["no alternative has it", { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }],
    ["the object among the alternatives lacks it", { oneOf: [{ properties: { a: {} } }, { type: "null" }] }],
    ["alternatives of what is required", { properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["no part has it", { allOf: [{ properties: { a: {} } }, { required: ["a"] }] }],
    ["a reference lacks it", { $ref: "#/$defs/b", $defs: { b: { properties: { a: {} } } } }],
  ];
  it.each(closed)("CONTRACT-11 %s", (_, schema) => {
    expect(codes("input.x", schema)).toEqual(["UNKNOWN_FIELD"]);
  });

  it("CONTRACT-9 references that double or go round cost no more than the fuel, and leave the name open", () => {
    const doubling: Record<string, Json> = { d0: { properties: { a: {} } } };
    for (let index = 1; index <= 40; index++)
      doubling[`d${index}`] = { allOf: [{ $ref: `#/$defs/d${index - 1}` }, { $ref: `#/$defs/d${index - 1}` }] };
    expect(when("input.x == 'y'", { $ref: "#/$defs/d40", $defs: doubling })).toEqual([]);
    expect(when("input.x == 'y'", { anyOf: [{ $ref: "#" }, { $ref: "#" }] })).toEqual([]);
  });

  it("CONTRACT-9 many expressions over a large schema are checked in linear time", () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]));
    const anyOf = Array.from({ length: 20_000 }, (_, index) => ({ required: [`p${index}`] }));
    const steps = Array.from({ length: 20_000 }, (_, index) => step(`s${index}`, { when: `input.p${index}` }));
    expect(problems(steps, { input: { properties } })).toEqual([]);
    expect(problems(steps, { input: { anyOf } })).toEqual([]);
  });

  it("CONTRACT-11 keywords beside a reference count in draft-07 too, as they do for values", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const definitions = { b: { properties: { a: {} } } };
    const beside = { $schema, $ref: "#/definitions/b", properties: { x: { enum: ["y"] } }, definitions };
    expect(codes("input.x == 'y'", beside)).toEqual([]);
    expect(codes("input.x == 'z'", beside)).toEqual(["FIXED_COMPARISON"]);
    expect(codes("input.q", beside)).toEqual(["UNKNOWN_FIELD"]);
  });

  it("CONTRACT-9 at most a hundred of these problems are reported", () => {
    const steps = Array.from({ length: 5000 }, (_, index) => step(`s${index}`, { when: "input.x" }));
    expect(problems(steps, { input: { properties: { a: {} } } })).toHaveLength(100);
    const maps = steps.map(({ id }) => step(id, map([step("i", { when: "input.x" })])));
    expect(problems(maps, { input: { properties: { a: {}, list: {} } } })).toHaveLength(100);
  });
});

describe("CONTRACT-11 a comparison whose result is always the same is refused", () => {
  it.each([
    [
      "input.channel == 'nxt'",
      "is never true where it compares `input.channel`: expected one of 'stable', 'next', found 'nxt' => did you mean 'next'?",
    ],
    [
      "input.channel != 'beta'",
      "is always true where it compares `input.channel`: expected one of 'stable', 'next', found 'beta'",
    ],
    [
      "input.count == '3'",
      "is never true where it compares `input.count`: expected an integer, found '3' => a number or a boolean is written in backticks: `3`",
    ],
    [
      "input.ok == 'true'",
      "is never true where it compares `input.ok`: expected a boolean, found 'true' => a number or a boolean is written in backticks: `true`",
    ],
  ])("CONTRACT-11 %s", (source, expected) => {
    expect(when(source)).toEqual([`FIXED_COMPARISON steps[0].when: \`${source}\` ${expected}`]);
  });

  it.each([
    "input.count == `3.5`",
    "'3' == input.count",
    "input.count > '3'",
    "input.tag > `3`",
    "length(input.tag) == '3'",
    "type(input.tag) == 'text'",
    "input.files == 'x'",
  ])("CONTRACT-11 %s", (source) => expect(codes(source)).toEqual(["FIXED_COMPARISON"]));

  it.each(["input.size == `3`", "input.count == `3`", "input.count > `3`", "input.extra == `{}`", "input.tag == '3'"])(
    "CONTRACT-11 %s may be right",
    (source) => expect(when(source)).toEqual([]),
  );
});

/** The problems of a condition that reads the step `a`. */
const reads = (source: string, first = step("a")): readonly string[] =>
  problems([first, step("b", { after: ["~a"], when: source })]);

describe("CONTRACT-11 what a command has, and what never changes", () => {
  it("CONTRACT-11 the output of a command; `previous` is the same", () => {
    expect(reads("steps.a.output.exitcode == `0`")).toHaveLength(1);
    expect(reads("steps.a.output.exitCode == '0'")).toHaveLength(1);
    expect(reads("previous.stdout == `0`")).toHaveLength(1);
    expect(reads("steps.a.output.exitCode == `0` && contains(steps.a.output.stdout, 'x')")).toEqual([]);
    expect(reads("from_json(steps.a.output.stdout).anything")).toEqual([]);
  });

  it("CONTRACT-11 the output of an approval, with an answer only if it has a schema", () => {
    const ask = (schema?: JsonSchema): StepDefinition =>
      step("a", { action: { kind: "approve", ...(schema === undefined ? {} : { schema }) } });
    const asking = ask({ properties: { count: { type: "integer" } }, additionalProperties: false });
    expect(reads("steps.a.output.aproved", ask())).toHaveLength(1);
    expect(reads("steps.a.output.answer.count", ask())).toHaveLength(1);
    expect(reads("steps.a.output.approved && steps.a.output.votes[0].by == 'ann'", ask())).toEqual([]);
    expect(reads("steps.a.output.answer.count > `1`", asking)).toEqual([]);
    expect(reads("steps.a.output.answer.size > `1`", asking)).toHaveLength(1);
  });

  it("CONTRACT-11 two literals that are compared", () => {
    expect(reads("'input.env' == 'prod'")).toEqual([
      "FIXED_COMPARISON steps[1].when: `'input.env' == 'prod'` compares 'input.env' with 'prod', which never change => quotes make a text; write a path without quotes",
    ]);
    expect(reads("`1` == `1` || input.count > `1`")).toHaveLength(1);
  });
});

describe("CONTRACT-11 the fields of steps", () => {
  it("CONTRACT-11 a state that does not exist, and a field that a step does not have", () => {
    expect(reads("steps.a.status == 'complete'")).toEqual([
      "FIXED_COMPARISON steps[1].when: `steps.a.status == 'complete'` is never true where it compares `steps.a.status`: expected one of 'succeeded', 'failed', 'skipped', 'cancelled', found 'complete'",
    ]);
    expect(reads("steps.a.state == 'failed'")).toEqual([
      "UNKNOWN_FIELD steps[1].when: `steps.a.state == 'failed'` reads `steps.a.state`, which never exists: expected status, output, error, attempts, artifacts, startedAt, completedAt, durationMs => did you mean `steps.a.status`?",
    ]);
    expect(reads("steps.a.error.clas == 'timeout'")).toHaveLength(1);
    expect(reads("steps.a.error.class == 'timedout'")).toHaveLength(1);
    expect(reads("execution.workfow")).toHaveLength(1);
    expect(reads("steps.a.status == 'failed' && steps.a.error.class == 'timeout' && steps.a.attempts > `1`")).toEqual(
      [],
    );
    expect(reads("steps.a.durationMs > `1000` && steps.a.completedAt > steps.a.startedAt")).toEqual([]);
    expect(reads("steps.a.durationMs == 'long'")).toHaveLength(1);
    expect(reads("steps.a.duration > `1`")).toHaveLength(1);
  });

  it("CONTRACT-11 the output of a step that has a schema; `previous` is the same", () => {
    const typed = step("a", { output: { schema: { properties: { version: { type: "string" } } } } });
    expect(reads("steps.a.output.verson == '1'", typed)).toHaveLength(1);
    expect(reads("steps.a.output.version == `1`", typed)).toHaveLength(1);
    expect(reads("previous.verson == '1'", typed)).toHaveLength(1);
    expect(reads("steps.a.output.version == '1'", typed)).toEqual([]);
    expect(reads("steps.a.output.anything", step("a", AGENT))).toEqual([]);
  });

  it("STATE-8 an output that may be a fallback's is known only where both are", () => {
    const schema = { properties: { x: {} } };
    const first = step("a", { fallback: stepId("f"), output: { schema } });
    const reader = step("b", { after: ["a"], when: "steps.a.output.y" });
    expect(problems([first, step("f", AGENT), reader])).toEqual([]);
    expect(problems([first, step("f", { output: { schema } }), reader])).toHaveLength(1);
    expect(problems([first, step("f", { output: { schema: { properties: { y: {} } } } }), reader])).toEqual([]);
  });

  it("CONTRACT-11 the payload of a signal, and the results of a map, also in `select`", () => {
    const schema = { properties: { by: { type: "string" } } };
    const signal = { kind: "wait", on: "signal", signal: "go", schema, timeout: durationMs(5) } as const;
    expect(reads("steps.a.output.bye", step("a", { action: signal }))).toHaveLength(1);
    expect(problemPaths([step("a", { action: signal, output: { select: "bye" } })])).toEqual([
      "UNKNOWN_FIELD steps[0].output.select",
    ]);
    const each = step("a", map([step("i", { output: { schema } })]));
    expect(reads("steps.a.output[0].bye", each)).toHaveLength(1);
    expect(reads("steps.a.output.by", each)).toHaveLength(1);
    expect(reads("steps.a.output[0].by", each)).toEqual([]);
  });

  it("CONTRACT-11 the items of a map, in its steps, in maps inside it, and in its label", () => {
    const list = { over: "input.files" };
    const inside = (source: string, label = "${ item.name }"): readonly string[] =>
      problems([step("m", map([step("i", { when: source })], { ...list, label }))], { input: INPUT });
    expect(inside("item.nam == 'x'")).toHaveLength(1);
    expect(inside("item.size == 'x'")).toHaveLength(1);
    expect(inside("input.chanel")).toHaveLength(1);
    expect(inside("index == '1'")).toHaveLength(1);
    expect(inside("item.name == 'x'")).toEqual([]);
    expect(inside("item.name == 'x'", "${ item.nam }")).toHaveLength(1);
    const nested = map([step("n", map([step("i", { when: "item.nam" })], { over: "[item]" }))], list);
    expect(problems([step("m", nested)], { input: INPUT })).toHaveLength(1);
  });
});

describe("CONTRACT-11 variables that are neither declared nor written", () => {
  const readsVariable = (
    input: Template,
    variables: Json = { limits: { most: 3 }, mode: "fast", later: null },
  ): readonly string[] =>
    problems([step("w", { output: { to: "variables.made.part" } }), step("r", { after: ["w"], input })], { variables });

  it("CONTRACT-11 are refused, with the name that was probably meant", () => {
    expect(readsVariable("${ variables.mod }")).toEqual([
      "UNKNOWN_VARIABLE steps[1].input: `variables.mod` reads `variables.mod`, which never exists: expected made, limits, mode, later => did you mean `variables.mode`?",
    ]);
    for (const source of ["variables.foo", "variables.limits.least", "variables.made.prt", "variables.mode.x"])
      expect(readsVariable(`\${ ${source} }`)).toHaveLength(1);
    expect(readsVariable("${ variables.limits.most == '3' }")).toHaveLength(1);
  });

  it("CONTRACT-11 a variable that is declared, written, or below a written one may be read", () => {
    for (const source of [
      "variables",
      "variables.made",
      "variables.made.part.x",
      "variables.later.x",
      "variables.limits.most",
      "variables.mode == 'slow'",
    ])
      expect(readsVariable(`\${ ${source} }`)).toEqual([]);
  });

  it("CONTRACT-11 shapes outside of steps created at run time are unknown", () => {
    const made = step("x", { when: "variables.foo && input.foo && steps.outside.output.foo" });
    expect(compileExpansion(workflow([step("a")]), [made], { inMap: false, inRepeat: false }).kind).toBe("program");
    const wrong = step("y", { after: ["x"], when: "steps.x.state" });
    expect(compileExpansion(workflow([step("a")]), [step("x"), wrong], { inMap: false, inRepeat: false }).kind).toBe(
      "problems",
    );
  });

  it("GRAPH-5 the reads of a disabled step are not checked", () => {
    expect(problems([step("a", { enabled: false, when: "variables.foo" })])).toEqual([]);
  });
});
