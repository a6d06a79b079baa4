import { expect, it } from "vitest";
import { hyphenSuggestion, idsToQuote } from "./hyphens.ts";

const IDS = idsToQuote(["build", "build-a", "build-a-1", "2nd", "deploy"]);

it("DATA-6 an unquoted id with a hyphen is shown in quotes", () => {
  expect(hyphenSuggestion("steps.build-a.output", IDS)).toBe('steps."build-a".output');
  expect(hyphenSuggestion("steps.build-a-1.output", IDS)).toBe('steps."build-a-1".output');
  expect(hyphenSuggestion("[steps.build-a, steps.2nd.x]", IDS)).toBe('[steps."build-a", steps."2nd".x]');
});

it("DATA-6 there is no suggestion if no id needs quotes", () => {
  for (const source of [
    "steps.build.output",
    'steps."build-a".output',
    "'.build-a'",
    "steps.build - a",
    "x.build-ab",
    "'",
  ]) {
    expect(hyphenSuggestion(source, IDS)).toBeUndefined();
  }
});
