// Times of exact runs. All are multiples of the slice of the engine's timers, so that a timer rings exactly when it is due. They
// are drawn from a wide range, so two things rarely happen at the same time.

import type { Chance } from "../../../src/testing/chance.ts";

/** The engine's timers ring at multiples of this. */
export const SLICE_MS = 8;

/** By then nothing happens any more but what nobody sends. */
export const END_MS = 4_000_000;

/** Up to two and a half minutes. */
export function someTime(chance: Chance): number {
  return SLICE_MS * 8 * chance.between(1, 2500);
}
