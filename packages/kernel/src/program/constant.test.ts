// Constant expressions, which are evaluated before anything runs.

import { describe, expect, it } from "vitest";
import { map, problemPaths, problems, step } from "../../test/properties/written-steps.ts";
import type { StepDefinition } from "../model/definition.ts";

const over = (source: string): readonly StepDefinition[] => [step("m", map([step("i")], { over: source }))];

it("CONTRACT-11 FIXED_COMPARISON a `when` that is a mere text is refused", () => {
  expect(problems([step("a", { when: "'true'" })])).toEqual([
    "FIXED_COMPARISON steps[0].when: `'true'` is text, so it is always true => text is true unless it is empty; write a comparison, or a boolean in backticks: `true`",
  ]);
  expect(problemPaths([step("a", { when: "''" })])).toEqual(["FIXED_COMPARISON steps[0].when"]);
  expect(problemPaths([step("a", { when: "`true`" }), step("b", { when: "input.x || 'y'" })])).toEqual([]);
});

it("CONTRACT-11 MAP_NOT_A_LIST a map over a value that is not a list by its schema is refused", () => {
  const input = { properties: { s: { type: "string" }, list: { type: "array" }, any: {}, e: { enum: ["a"] } } };
  expect(problems(over("input.s"), { input })).toEqual([
    "MAP_NOT_A_LIST steps[0].action.over: `input.s` is never a list => a map runs its steps for each item of a list",
  ]);
  expect(problemPaths(over("input.e"), { input })).toEqual(["MAP_NOT_A_LIST steps[0].action.over"]);
  for (const source of ["input.list", "input.any", "input.s || input.list", "split(input.s, ',')"])
    expect(problemPaths(over(source), { input })).toEqual([]);
});

describe("a map over a constant", () => {
  it.each([
    ["`5`", "`5` evaluated to a number, not a list"],
    ["`null`", "`null` evaluated to null, not a list"],
    ["'text'", "`'text'` evaluated to a string, not a list"],
    ["{ a: `1` }", "{ a: `1` } evaluated to an object, not a list"],
    ["!`true`", "!`true` evaluated to a boolean, not a list"],
    ["[`1`, `2`][0]", "[`1`, `2`][0] evaluated to a number, not a list"],
  ])("MAP_NOT_A_LIST %s is refused", (source, message) => {
    expect(problems(over(source))).toEqual([
      `MAP_NOT_A_LIST steps[0].action.over: ${message} => a map runs its steps for each item of a list`,
    ]);
  });

  it.each(["`[]`", "`[1, 2]`", "[`1`]", "split('a,b', ',')"])("STATE-9 %s is a list", (source) => {
    expect(problems(over(source))).toEqual([]);
  });

  it("STATE-9 an expression that reads data is checked when it is evaluated", () => {
    for (const source of ["input", "keys(@)", "input || `5`"]) expect(problems(over(source))).toEqual([]);
  });

  it("EXPRESSION_TYPE an expression that cannot be evaluated is reported at compile time", () => {
    expect(problemPaths(over("abs('x')"))).toEqual(["EXPRESSION_TYPE steps[0].action.over"]);
    expect(problemPaths(over("$nobody"))).toEqual(["EXPRESSION_UNDEFINED_VARIABLE steps[0].action.over"]);
  });

  it("EXPRESSION_FUEL an expensive expression is left to the run", () => {
    const long = "pad_left('x', `100000`)";
    expect(problems(over(long))).toEqual([]);
  });
});
