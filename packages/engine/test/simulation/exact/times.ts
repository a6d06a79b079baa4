// Times of exact runs. They are drawn from a wide range, so two things rarely happen at the same time; all are multiples of some
// milliseconds, so that parts of them are whole too.

import type { Random } from "../../../src/testing/random.ts";

export const SLICE_MS = 8;

/** By then nothing happens any more but what nobody sends. */
export const END_MS = 4_000_000;

/** Up to two and a half minutes. */
export function someTime(chance: Random): number {
  return SLICE_MS * 8 * chance.between(1, 2500);
}
