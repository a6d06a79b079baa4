// The steps inside a scope as numbers, because a map may have 100,000 items: counts by status, and those that failed.

import type { Failure, StepStatus } from "@segno/kernel";

import type { FollowedExecution } from "./followed-execution.ts";
import type { ShownStep } from "./shown-step.ts";

export interface FailedInside {
  readonly name: string;
  readonly label?: string;
  readonly failure?: Failure;
}

export interface ScopeSummary {
  /** The number of items, if the scope is a map. */
  readonly items?: number;
  readonly steps: number;
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>;
  readonly failed: readonly FailedInside[];
}

/**
 * Undefined if the step has not opened into others. Steps inside its children are not counted, and internal steps only if
 * they failed.
 */
export function scopeSummary(
  execution: FollowedExecution,
  scope: number,
  items: number | undefined,
): ScopeSummary | undefined {
  const isCounted = ({ index, status }: ShownStep): boolean => status === "failed" || !execution.isInternal(index);
  const inside = execution.steps.filter(
    (step) => step.parent === scope && step.undoes === undefined && isCounted(step),
  );
  if (inside.length === 0 && items === undefined) return undefined;
  const counts: Partial<Record<StepStatus, number>> = {};
  for (const { status } of inside) counts[status] = (counts[status] ?? 0) + 1;
  const failed = inside.filter(({ status }) => status === "failed").map((step) => toFailed(step, execution));
  return { ...(items === undefined ? {} : { items }), steps: inside.length, counts, failed };
}

function toFailed({ index, name, detail }: ShownStep, execution: FollowedExecution): FailedInside {
  const label = execution.labelOf(index);
  return {
    name,
    ...(label === undefined ? {} : { label }),
    ...(detail.kind === "failure" ? { failure: detail.failure } : {}),
  };
}
