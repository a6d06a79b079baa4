import * as fc from "fast-check";
import { expect, it } from "vitest";
import { closest, Suggestions } from "./suggestion.ts";

/** The textbook algorithm with the whole table. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) => [row]);
  for (let column = 1; column <= b.length; column++) rows[0]![column] = column;
  for (let row = 1; row <= a.length; row++)
    for (let column = 1; column <= b.length; column++)
      rows[row]![column] = Math.min(
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
        rows[row - 1]![column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1),
      );
  return rows[a.length]![b.length]!;
}

const WORD = fc.string({ unit: fc.constantFrom("a", "b", "c", "-"), minLength: 1, maxLength: 12 });

it("CONTRACT-3 the nearest word is the first of those with the smallest distance, up to three slips", () => {
  fc.assert(
    fc.property(WORD, fc.array(WORD, { maxLength: 6 }), (word, candidates) => {
      const most = Math.min(3, Math.max(1, Math.floor(word.length / 2)));
      const distances = candidates.map((candidate) => distance(word, candidate));
      const least = Math.min(...distances);
      expect(closest(word, candidates)).toBe(least <= most ? candidates[distances.indexOf(least)] : undefined);
    }),
    { numRuns: 1000 },
  );
});

it("CONTRACT-9 suggestions of one document share a budget, and long words get none", () => {
  const words = Array.from({ length: 5000 }, (_, index) => `step-${index}`);
  const suggestions = new Suggestions();
  const found = words.map((word) => suggestions.closest(`${word}x`, words));
  expect(found[0]).toBe("step-0");
  expect(found.at(-1)).toBeUndefined();
  expect(closest("a".repeat(65), ["a".repeat(64)])).toBeUndefined();
});
