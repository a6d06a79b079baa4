// Slices of arrays and of strings, `[start:stop:step]`, with Python's rules for indexes out of range.

import type { Json } from "../../model/json.ts";
import { codePointLength, hasSurrogates, unitOffset } from "./code-points.ts";
import type { Fuel } from "./fuel.ts";
import type { SliceBounds } from "./node.ts";
import { madeText } from "./text.ts";

interface Range {
  readonly from: number;
  readonly step: number;
  readonly count: number;
}

export function sliceArray(array: readonly Json[], bounds: SliceBounds, fuel: Fuel): readonly Json[] {
  const { from, step, count } = toRange(array.length, bounds);
  fuel.scan(count);
  fuel.slots(count);
  return Array.from({ length: count }, (_, index) => array[from + index * step] ?? null);
}

export function sliceText(text: string, bounds: SliceBounds, fuel: Fuel): string {
  fuel.scanText(text.length);
  const { from, step, count } = toRange(codePointLength(text), bounds);
  fuel.produce(count);
  if (step === 1) return madeText(text.slice(unitOffset(text, from), unitOffset(text, from + count)), count, fuel);
  return madeText(pick(text, from, step, count, fuel), count, fuel);
}

function pick(text: string, from: number, step: number, count: number, fuel: Fuel): string {
  fuel.scan(count);
  if (!hasSurrogates(text)) {
    let picked = "";
    for (let index = 0; index < count; index += 1) picked += text[from + index * step] ?? "";
    return picked;
  }
  fuel.slots(text.length);
  const points = Array.from(text);
  return Array.from({ length: count }, (_, index) => points[from + index * step] ?? "").join("");
}

function toRange(length: number, { start, stop, step }: SliceBounds): Range {
  const forward = step > 0;
  const from = start === null ? (forward ? 0 : length - 1) : clamp(start, length, forward);
  const to = stop === null ? (forward ? length : -1) : clamp(stop, length, forward);
  return { from, step, count: Math.max(0, Math.ceil((to - from) / step)) };
}

/**
 * For a negative step, the position before the first element is a possible end, and the last element the first possible start.
 */
function clamp(bound: number, length: number, forward: boolean): number {
  const at = bound < 0 ? bound + length : bound;
  return forward ? Math.min(Math.max(at, 0), length) : Math.min(Math.max(at, -1), length - 1);
}

/** The half-open part `[start:stop]` of a sequence of this length. */
export function clampPair(
  length: number,
  start: number | undefined,
  stop: number | undefined,
): readonly [number, number] {
  return [clamp(start ?? 0, length, true), clamp(stop ?? length, length, true)];
}
