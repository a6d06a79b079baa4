import type { EpochMs, Failure, SkipReason, StepRelation, StepStatus, Vote, Wait } from "@segno/kernel";

import { omitUndefined } from "../plan/omit-undefined.ts";

/** The fields of a step that never change. */
export interface StepIdentity extends StepRelation {
  readonly index: number;
  readonly name: string;
  /** The label of the map item that contains the step, not escaped yet. */
  readonly label?: string;
}

/** The status of a step and its times, as far as events were seen. */
export interface StepProgress extends StepIdentity {
  readonly status: StepStatus;
  /** The running attempt, or the last one; 0 for a step without attempts. */
  readonly attempt: number;
  /** The start of the first attempt in this round, or of the wait. */
  readonly startedAt?: EpochMs;
  /** The time since when the status holds. */
  readonly sinceAt?: EpochMs;
  readonly endedAt?: EpochMs;
  /** The time of the next change without an event from outside: next attempt, end of a wait, force. */
  readonly dueAt?: EpochMs;
  readonly failure?: Failure;
  readonly skip?: SkipReason;
  readonly wait?: Wait;
  /** The votes on an approval that the step waits for, oldest first. */
  readonly votes?: readonly Vote[];
  /** How a cancelled step ended (CANCEL-5). */
  readonly stopped?: "unbegun" | "itself" | "by-force";
  /** The reason why the step was stopped, or cancelled before it ran. */
  readonly reason?: string;
}

const ACTIVE: ReadonlySet<StepStatus> = new Set(["running", "retrying", "suspended", "cancelling"]);

/** The step runs, or waits for something of its own. */
export function isActive({ status }: StepProgress): boolean {
  return ACTIVE.has(status);
}

const ENDED: ReadonlySet<StepStatus> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

/** The step has ended, until a new round starts it again. */
export function hasEnded({ status }: StepProgress): boolean {
  return ENDED.has(status);
}

/** The step that this step is shown below: its parent, or the step that it undoes. */
export function stepAbove({ parent, undoes }: StepIdentity): number | undefined {
  return undoes ?? parent;
}

/** The fields that stay when the status changes. */
export function toIdentity(step: StepIdentity): StepIdentity {
  const { index, name, label, parent, undoes, workflow, undone, attemptsMax } = step;
  return { index, name, ...omitUndefined({ label, parent, undoes, workflow, undone, attemptsMax }) };
}

export function isSameIdentity(one: StepIdentity, other: StepIdentity): boolean {
  return (
    one.name === other.name &&
    one.label === other.label &&
    one.parent === other.parent &&
    one.undoes === other.undoes &&
    one.workflow === other.workflow &&
    one.undone === other.undone &&
    one.attemptsMax === other.attemptsMax
  );
}
