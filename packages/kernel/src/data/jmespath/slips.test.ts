import { describe, expect, it } from "vitest";

import { slipSuggestion } from "./slips.ts";

const ROOTS = ["execution", "input", "variables", "steps"];

describe("a suggestion", () => {
  it.each([
    ["a text in backticks without quotes", "input.s == `completed`", "input.s == 'completed'"],
    ["a text without quotes", "input.s == done", "input.s == 'done'"],
    ["a text without quotes in front", "done != input.s", "'done' != input.s"],
    ["a text in the quotes of a name", 'input.s == "it\'s"', String.raw`input.s == 'it\'s'`],
    ["a state that a step ends in, in another word", "steps.p.status == completed", "steps.p.status == 'succeeded'"],
    ["a number", "input.n > 3", "input.n > `3`"],
    ["a negative number, a fraction and an index", "input.n[0] > -3.5", "input.n[0] > `-3.5`"],
    ["a number that is subtracted", "input.n -3 > input.l[1:2][0]", "input.n -`3` > input.l[1:2][0]"],
    ["a default", "input.s ?? 'x'", "input.s || 'x'"],
    ["a comparison of three signs", "input.a === 'x' && input.b !== null", "input.a == 'x' && input.b != `null`"],
    ["words for operators", "input.a and input.b or input.c", "input.a && input.b || input.c"],
    ["a constant", "input.flag == true", "input.flag == `true`"],
  ])("CONTRACT-3 of %s", (_, source, meant) => {
    expect(slipSuggestion(source, ROOTS)).toBe(meant);
  });

  it.each([
    ["what is right", "input.s == 'x' && input.n > `3`"],
    ["what would not parse either", "input.n > 3 )"],
    ["what would still read something that is not there", "inptu.n > 3"],
    ["what is too long to be looked at", `input.n > 3 && ${"input.n && ".repeat(60)} input.n`],
  ])("CONTRACT-3 is not guessed for %s", (_, source) => {
    expect(slipSuggestion(source, ROOTS)).toBeUndefined();
  });
});
