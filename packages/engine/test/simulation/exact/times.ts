// Times of exact runs. They are drawn from a wide range, so two occurrences rarely have the same time. All are
// multiples of some milliseconds, so that fractions of them are whole, too.

import type { Random } from "../../../src/testing/random.ts";

export const SLICE_MS = 8;

/** By then all activity has ended, except waits for messages that are never sent. */
export const END_MS = 4_000_000;

/** Up to two and a half minutes. */
export function someTime(chance: Random): number {
  return SLICE_MS * 8 * chance.between(1, 2500);
}
