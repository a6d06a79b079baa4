// A step as the views show it: the kernel's snapshot of it, and its relations to other steps.

import {
  stepCount,
  stepRelations,
  stepSnapshot,
  type EpochMs,
  type SkipReason,
  type State,
  type StepRelation,
  type StepSnapshot,
  type StepStatus,
} from "@segno/kernel";

export interface ShownStep extends StepSnapshot, StepRelation {
  readonly index: number;
}

/** Without steps that are only history. */
export function listSteps(state: State): readonly ShownStep[] {
  const toRelation = stepRelations(state);
  const steps: ShownStep[] = [];
  for (let index = 0; index < stepCount(state); index++) {
    const relation = toRelation(index);
    if (relation !== undefined) steps.push({ ...stepSnapshot(state, index), ...relation, index });
  }
  return steps;
}

const ACTIVE: ReadonlySet<StepStatus> = new Set(["running", "retrying", "suspended", "cancelling"]);

/** The step runs, or waits for something of its own. */
export function isActive({ status }: ShownStep): boolean {
  return ACTIVE.has(status);
}

/** The step that this step is shown below: its parent, or the step that it undoes. */
export function stepAbove({ parent, undoes }: ShownStep): number | undefined {
  return undoes ?? parent;
}

/** The reason why a step was skipped. A disabled step has no event that gives one. */
export function skipReason({ status, detail }: ShownStep): SkipReason | undefined {
  if (detail.kind === "skip") return detail.reason;
  return status === "skipped" && detail.kind === "none" ? { kind: "disabled" } : undefined;
}

/** The time of the next change without an event from outside: the next attempt, the end of a wait, the use of force. */
export function dueTime({ detail }: ShownStep): EpochMs | undefined {
  switch (detail.kind) {
    case "failure":
      return detail.dueAt;
    case "wait":
      return detail.wait.kind === "timer" ? detail.wait.dueAt : detail.wait.expiresAt;
    case "stopping":
      return detail.forceAt;
    default:
      return undefined;
  }
}
