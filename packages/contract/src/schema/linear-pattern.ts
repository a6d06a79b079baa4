// Runs regular expressions of users in linear time, with RE2's algorithm, so that no pattern can hang a process.
//
//   P1. The time is linear in the length of the text and in the size of the pattern: the number of its states, with repetitions
//       expanded. Both are limited, for each pattern and for all patterns of a document together.

import { RE2JS } from "re2js";

export interface LinearPattern {
  test(text: string): boolean;
  /** The number of its states, which is the highest cost of a character. */
  readonly size: number;
}

const PATTERN_LENGTH_MAX = 4096;
const PATTERN_SIZE_MAX = 10_000;
const ALL_SIZES_MAX = 100_000;

/** Compiles the patterns of one document within one budget. */
export class Patterns {
  readonly #known = new Map<string, LinearPattern>();
  #sizeLeft = ALL_SIZES_MAX;

  /** Throws for syntax that RE2 does not have (look-around, back-references, counts above 1,000) and above the limits. */
  get(pattern: string): LinearPattern {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known;
    if (this.#sizeLeft <= 0) throw new Error(`the patterns of this document have more than ${ALL_SIZES_MAX} states`);
    const compiled = linearPattern(pattern);
    this.#sizeLeft -= compiled.size;
    this.#known.set(pattern, compiled);
    return compiled;
  }
}

function linearPattern(pattern: string): LinearPattern {
  if (pattern.length > PATTERN_LENGTH_MAX)
    throw new Error(`a pattern has at most ${PATTERN_LENGTH_MAX} characters, and this one has ${pattern.length}`);
  // The size is estimated first, because expanding the repetitions is the expensive part.
  if (expandedSize(pattern) > 2 * PATTERN_SIZE_MAX) throw tooLarge();
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  const size = compiled.programSize();
  if (size > PATTERN_SIZE_MAX) throw tooLarge();
  return { test: (text) => compiled.test(text), size };
}

/** Estimates the number of states: each count repeats the character or the group before it. */
function expandedSize(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (size: number): void => {
    last = size;
    groups[groups.length - 1]! += size;
  };
  for (const [part, count = "", most = ""] of pattern.matchAll(PARTS)) {
    if (part === "(") groups.push(0);
    else if (part === ")" && groups.length > 1) add(groups.pop()! + 2);
    else if (count !== "") add(last * (Math.max(Number(count), Number(most)) - 1));
    else add(1);
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** Counts, escapes, classes of characters, and single characters. */
const PARTS = /\{(\d{1,4})(?:,(\d{0,4}))?\}|\\[^]|\[(?:[^\]\\]|\\[^])*\]|[^]/gu;

function tooLarge(): Error {
  return new Error(`a pattern has at most ${PATTERN_SIZE_MAX} states when its repetitions are written out`);
}
