// Counts steps by outcome, as the table shows them.
//   C1. Each step counts once. A step that was undone counts as undone. The compensating step and the steps inside it are not
//       steps of the workflow and do not count.

import { groupedDigits } from "@segno/contract";
import type { StepStatus } from "@segno/kernel";

import type { ExecutionProgress } from "./execution-progress.ts";
import { hasEnded, type StepProgress } from "./step-progress.ts";

export type Counted = StepStatus | "undone";

export function stepTally(progress: ExecutionProgress): ReadonlyMap<Counted, number> {
  const tally = new Map<Counted, number>();
  for (const step of countedSteps(progress)) {
    const kind = step.undone === true ? "undone" : step.status;
    tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  return tally;
}

/** Formats `3 of 4 steps done`. */
export function doneText(progress: ExecutionProgress): string {
  const steps = countedSteps(progress);
  return `${groupedDigits(steps.filter(hasEnded).length)} of ${groupedDigits(steps.length)} steps done`;
}

function countedSteps(progress: ExecutionProgress): readonly StepProgress[] {
  return progress.steps.filter((step) => !isUndoing(step, progress));
}

function isUndoing(step: StepProgress, progress: ExecutionProgress): boolean {
  if (step.undoes !== undefined) return true;
  const parent = step.parent === undefined ? undefined : progress.step(step.parent);
  return parent !== undefined && isUndoing(parent, progress);
}
