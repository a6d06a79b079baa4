import type { EpochMs, Failure, SkipReason, StepStatus, Vote, Wait } from "@segno/kernel";

/** Where a step is and since when, as far as the events that were seen say it. */
export interface StepProgress {
  readonly index: number;
  readonly name: string;
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
  /** CANCEL-5: how a step that was told to stop did. */
  readonly stopped?: "itself" | "by-force";
}

const ACTIVE: ReadonlySet<StepStatus> = new Set(["running", "retrying", "suspended", "cancelling"]);

/** Something goes on with it, or it waits for something of its own. */
export function isActive({ status }: StepProgress): boolean {
  return ACTIVE.has(status);
}
