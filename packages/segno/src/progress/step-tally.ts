// Counts steps by outcome, as the table shows them.
//   C1. Each step counts once. Internal steps, compensating steps and the steps inside an item of a map do not count; items
//       count as items. A step that was undone counts as undone, also inside an item.

import { groupedDigits } from "@segno/contract";
import type { StepStatus } from "@segno/kernel";

import type { FollowedExecution } from "./followed-execution.ts";

export type Counted = StepStatus | "undone";

export function stepTally(execution: FollowedExecution): ReadonlyMap<Counted, number> {
  const tally = new Map<Counted, number>();
  for (const step of execution.steps) {
    const kind = step.undone === true ? "undone" : step.status;
    if (kind !== "undone" && !execution.isCounted(step.index)) continue;
    tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  return tally;
}

/** Steps of an execution in these statuses may have ended without having run. */
const STOPPED: ReadonlySet<string> = new Set(["failed", "cancelling", "cancelled"]);

/** Formats `3 of 4 steps done, 412 of 1,000 items`, or `4 of 4 steps ended` if the execution failed or was cancelled. */
export function doneText({ status, progress: { total, ended, items, itemsEnded } }: FollowedExecution): string {
  const word = STOPPED.has(status) ? "ended" : "done";
  const steps = `${groupedDigits(ended)} of ${groupedDigits(total)} steps ${word}`;
  return items === 0 ? steps : `${steps}, ${groupedDigits(itemsEnded)} of ${groupedDigits(items)} items`;
}

/** Formats `5 of 1,000 items failed`; nothing if no item failed. */
export function failedItemsText({ progress: { items, itemsFailed } }: FollowedExecution): readonly string[] {
  return itemsFailed === 0 ? [] : [`${groupedDigits(itemsFailed)} of ${groupedDigits(items)} items failed`];
}
