// Compares the automaton with a search for each pattern at each position.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Automaton } from "./automaton.ts";
import { Ranges } from "./ranges.ts";

/** Few letters, of one to four bytes each, so that patterns overlap and share prefixes and suffixes. */
const letter = fc.constantFrom("a", "a", "a", "b", "b", "é", "語", "😀");
const pattern = fc.array(letter, { minLength: 3, maxLength: 9 }).map((letters) => letters.join(""));
const text = fc.array(fc.oneof(letter, pattern, fc.constant("x")), { maxLength: 40 }).map((parts) => parts.join(""));

function covered({ starts: starter, ends }: Ranges, length: number): string {
  const places = Array.from({ length }, () => ".");
  starter.forEach((start, each) => places.fill("#", start, ends[each]));
  return places.join("");
}

function coveredNaively(haystack: string | Buffer, patterns: readonly string[]): string {
  const places = Array.from({ length: haystack.length }, () => ".");
  for (const each of patterns) {
    const length = typeof haystack === "string" ? each.length : Buffer.byteLength(each);
    for (let at = haystack.indexOf(each); at !== -1; at = haystack.indexOf(each, at + 1))
      places.fill("#", at, at + length);
  }
  return places.join("");
}

function buildAutomaton(...batches: readonly (readonly string[])[]): Automaton {
  const automaton = new Automaton();
  for (const batch of batches) automaton.add(batch);
  return automaton;
}

describe("an automaton", () => {
  it("DATA-9 finds every pattern at every place in a text", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 8 }), text, (patterns, haystack) => {
        const found = new Ranges();
        buildAutomaton(patterns).scanText(haystack, found);
        expect(covered(found, haystack.length)).toBe(coveredNaively(haystack, patterns));
      }),
      { numRuns: 1000 },
    );
  });

  it("DATA-9 finds every pattern at every place in bytes, from wherever it goes on", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 8 }), text, fc.nat(), (patterns, haystack, cut) => {
        const bytes = Buffer.from(haystack);
        const found = new Ranges();
        const automaton = buildAutomaton(patterns);
        const middle = bytes.subarray(0, cut % (bytes.length + 1));
        const state = automaton.scanBytes(middle, 0, 0, found);
        automaton.scanBytes(bytes, middle.length, state, found);
        expect(covered(found, bytes.length)).toBe(coveredNaively(bytes, patterns));
      }),
      { numRuns: 1000 },
    );
  });

  it("A4 knows patterns that are added after it was used as well as those before", () => {
    fc.assert(
      fc.property(fc.array(pattern), fc.array(pattern, { minLength: 1 }), text, (early, late, haystack) => {
        const automaton = buildAutomaton(early);
        automaton.scanText(haystack, new Ranges());
        const before = automaton.generation;
        automaton.add(late);
        const found = new Ranges();
        automaton.scanText(haystack, found);
        expect(automaton.generation).toBeGreaterThan(before);
        expect(covered(found, haystack.length)).toBe(coveredNaively(haystack, [...early, ...late]));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the depth of a state", () => {
  it("A3 is the length of the longest end that may become a match", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 8 }), text, (patterns, haystack) => {
        const automaton = buildAutomaton(patterns);
        const bytes = Buffer.from(haystack);
        const beginnings = patterns.map((each) => Buffer.from(each));
        const depths = Array.from({ length: bytes.length + 1 }, (_, depth) => depth).filter((depth) =>
          beginnings.some(
            (each) => each.length >= depth && each.subarray(0, depth).equals(bytes.subarray(-depth || bytes.length)),
          ),
        );
        expect(automaton.depth(automaton.scanBytes(bytes, 0, 0, new Ranges()))).toBe(Math.max(...depths));
      }),
      { numRuns: 1000 },
    );
  });

  it("A1 is found for patterns of any length, without recursion", () => {
    const long = `${"ab".repeat(30_000)}c`;
    const found = new Ranges();
    buildAutomaton([long, `${"ba".repeat(30_000)}d`]).scanText(`ab${long}`, found);
    expect([found.starts, found.ends]).toEqual([[2], [long.length + 2]]);
  });

  it("DATA-9 a lone half of a surrogate pair is no part of a character", () => {
    const found = new Ranges();
    buildAutomaton(["😀😀😀"]).scanText("\uD83D😀😀😀\uDE00😀😀\uD83D", found);
    expect([found.starts, found.ends]).toEqual([[1], [7]]);
  });
});
