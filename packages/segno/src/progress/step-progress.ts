import type { EpochMs, Failure, SkipReason, StepRelation, StepStatus, Vote, Wait } from "@segno/kernel";

import { omitUndefined } from "../plan/omit-undefined.ts";

/** Which step it is; whatever happens to it, that stays. */
export interface StepIdentity extends StepRelation {
  readonly index: number;
  readonly name: string;
  /** Of the item that it stands in, if that has one. As it came; made safe when it is shown. */
  readonly label?: string;
}

/** Where a step is and since when, as far as the events that were seen say it. */
export interface StepProgress extends StepIdentity {
  readonly status: StepStatus;
  /** The attempt under way, or the last one; 0 for a step that needs none. */
  readonly attempt: number;
  /** When its first attempt of this round began, or its wait. */
  readonly startedAt?: EpochMs;
  /** When it came to be as it is. */
  readonly sinceAt?: EpochMs;
  readonly endedAt?: EpochMs;
  /** When something happens by itself: the next attempt, the end of a wait, force. */
  readonly dueAt?: EpochMs;
  readonly failure?: Failure;
  readonly skip?: SkipReason;
  readonly wait?: Wait;
  /** On an approval that is waited for, oldest first. */
  readonly votes?: readonly Vote[];
  /** CANCEL-5: how a step that was cancelled ended. */
  readonly stopped?: "unbegun" | "itself" | "by-force";
  /** Why it was told to stop, or was cancelled before it ran. */
  readonly reason?: string;
}

const ACTIVE: ReadonlySet<StepStatus> = new Set(["running", "retrying", "suspended", "cancelling"]);

/** Something goes on with it, or it waits for something of its own. */
export function isActive({ status }: StepProgress): boolean {
  return ACTIVE.has(status);
}

const ENDED: ReadonlySet<StepStatus> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

/** It has ended, unless a new round begins it again. */
export function hasEnded({ status }: StepProgress): boolean {
  return ENDED.has(status);
}

/** The step that it is shown below: what opened into it, or what it undoes. */
export function stepAbove({ parent, undoes }: StepIdentity): number | undefined {
  return undoes ?? parent;
}

/** What stays of a step when it moves on. */
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
