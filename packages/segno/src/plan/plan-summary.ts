// The summary of a plan: its size, and whether an input would make it more exact.

import type { Plan, PlannedStep } from "./plan.ts";

export function planSummary({ steps, waves, counts }: Plan): string {
  const parts = [
    `${countText(steps.length, "step")} in ${countText(waves.length, "wave")}`,
    ...(counts.skipped === 0 ? [] : [`${counts.skipped} skipped`]),
    ...(counts.conditional === 0 ? [] : [`${counts.conditional} may be skipped`]),
    ...(counts["on-failure"] === 0 ? [] : [`${counts["on-failure"]} only on failure`]),
    ...(counts.fails === 0 ? [] : [`${counts.fails} would fail`]),
  ];
  return parts.join(", ");
}

function countText(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Suggests `--input` only if a condition depends on nothing but the input. */
export function planHint({ steps, hasInput }: Plan): string[] {
  if (hasInput) return [];
  const waiting = steps.filter(({ verdict }) => verdict.kind === "conditional" && verdict.reads.every(isOfInput));
  if (waiting.length === 0) return [];
  return [`--input '{…}' decides the ${waiting.length === 1 ? "condition" : "conditions"} of ${firstSteps(waiting)}.`];
}

const isOfInput = (read: string): boolean => read === "input" || read.startsWith("input.");

function firstSteps(steps: readonly PlannedStep[]): string {
  const shown = steps.slice(0, 3).map(({ id }) => id);
  return steps.length > shown.length ? `${shown.join(", ")} and ${steps.length - shown.length} more` : shown.join(", ");
}
