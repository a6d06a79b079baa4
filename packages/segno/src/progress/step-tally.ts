// Counts steps by outcome, as the table shows them.
//   C1. Each step counts once. A step that was undone counts as undone. The compensating step and the steps inside it are not
//       steps of the workflow and do not count.

import { groupedDigits } from "@segno/contract";
import type { StepStatus } from "@segno/kernel";

import type { FollowedExecution } from "./followed-execution.ts";
import { hasEnded, type ShownStep } from "./shown-step.ts";

export type Counted = StepStatus | "undone";

export function stepTally({ steps }: FollowedExecution): ReadonlyMap<Counted, number> {
  const tally = new Map<Counted, number>();
  for (const step of countedSteps(steps)) {
    const kind = step.undone === true ? "undone" : step.status;
    tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  return tally;
}

/** Formats `3 of 4 steps done`. */
export function doneText({ steps }: FollowedExecution): string {
  const counted = countedSteps(steps);
  return `${groupedDigits(counted.filter(hasEnded).length)} of ${groupedDigits(counted.length)} steps done`;
}

/** A step comes after the step that opened into it, so that step is already known here. */
function countedSteps(steps: readonly ShownStep[]): readonly ShownStep[] {
  const undoing = new Set<number>();
  return steps.filter(({ index, undoes, parent }) => {
    if (undoes !== undefined || (parent !== undefined && undoing.has(parent))) undoing.add(index);
    return !undoing.has(index);
  });
}
