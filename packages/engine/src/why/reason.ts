// Why something waits (SCHED-7), as data and as a sentence.

import type { EpochMs, Failure, ParkCause } from "@segno/kernel";
import type { WaitReason } from "../scheduler/wait-reason.ts";

/** What an execution, or a step that has not ended, waits for. */
export type Reason =
  | AdmissionReason
  | EndedReason
  | { readonly kind: "paused" }
  | { readonly kind: "parked"; readonly cause: ParkCause; readonly reason: string }
  /** It could run, but nothing starts while its execution is paused or parked. */
  | { readonly kind: "held"; readonly by: "paused" | "parked" }
  | { readonly kind: "dependency"; readonly on: readonly string[] }
  /** Its map lets so many items run at once, and its item's turn has not come. */
  | { readonly kind: "item"; readonly limit: number }
  | { readonly kind: "running"; readonly attempt: number }
  /** It was told to stop, why, and when it is ended by force if it has not stopped by then. */
  | { readonly kind: "stopping"; readonly reason: string; readonly until: EpochMs }
  | { readonly kind: "backoff"; readonly until: EpochMs; readonly failure: Failure }
  | { readonly kind: "timer"; readonly until: EpochMs }
  | { readonly kind: "signal"; readonly signal: string; readonly until?: EpochMs }
  | ApprovalReason
  | { readonly kind: "children"; readonly unsettled: number }
  /** It could run; the process that owns the journal will see to it. */
  | { readonly kind: "ready" };

/** How it ended, and what made it end so; nothing more where it succeeded. */
export interface EndedReason {
  readonly kind: "ended";
  readonly status: string;
  /** What it failed with. */
  readonly failure?: Failure;
  /** Why it was skipped. */
  readonly skip?: SkipCause;
  /** How it was cancelled: it never began, stopped by itself when it was told to, or was ended by force. */
  readonly stopped?: "unbegun" | "itself" | "by-force";
  /** Why it was cancelled, as far as it was said. */
  readonly reason?: string;
  /** It succeeded and was undone. */
  readonly undone?: true;
}

/** STATE-10, with names instead of places. */
export type SkipCause =
  /** With what is written at `when`. */
  | { readonly kind: "condition"; readonly condition?: string }
  | { readonly kind: "skipped-by-handler" | "failing"; readonly message: string }
  | { readonly kind: "disabled" }
  /** With what the dependency failed with, if it failed itself. */
  | { readonly kind: "dependency-failed"; readonly dependency: string; readonly failure?: Failure }
  | { readonly kind: "fallback-unused"; readonly primary: string };

/** People are asked: who may vote, how many must approve, and how far that is. */
export interface ApprovalReason {
  readonly kind: "approval";
  readonly by?: readonly string[];
  readonly quorum: number;
  /** Who has approved so far. */
  readonly approved: readonly string[];
  /** The last request for changes, if anybody made one; whoever had approved before it is asked again. */
  readonly changes?: { readonly by: string; readonly comment?: string };
  /** What is asked. */
  readonly message?: string;
  readonly until?: EpochMs;
}

/** What the scheduler says, with the holders of resources by their names. */
export type AdmissionReason = WaitReason<StepOfExecution>;

export interface StepOfExecution {
  readonly execution: string;
  readonly step: string;
  /** Of the item that the step stands in, where its map gives labels. */
  readonly label?: string;
}

export interface Waiting {
  /** Absent where it is about the execution as a whole. */
  readonly step: string | undefined;
  /** Of the item that the step stands in, where its map gives labels. */
  readonly label?: string;
  readonly reason: Reason;
  readonly text: string;
}
