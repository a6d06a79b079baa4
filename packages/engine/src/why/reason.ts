// The reasons why an execution or a step waits (SCHED-7), as data and as a sentence.

import type { EpochMs, Failure, ParkCause } from "@segno/kernel";
import type { WaitReason } from "../scheduler/wait-reason.ts";

/** The reason why an execution, or a step that has not ended, waits. */
export type Reason =
  | AdmissionReason
  | EndedReason
  | { readonly kind: "paused" }
  | { readonly kind: "parked"; readonly cause: ParkCause; readonly reason: string }
  /** The step could run, but its execution is paused or parked. */
  | { readonly kind: "held"; readonly by: "paused" | "parked" }
  | { readonly kind: "dependency"; readonly on: readonly string[] }
  /** The map limits its concurrent items, and the item of this step has not started. */
  | { readonly kind: "item"; readonly limit: number }
  | { readonly kind: "running"; readonly attempt: number }
  /** The step was told to stop, for this reason; it is ended by force at `until`. */
  | { readonly kind: "stopping"; readonly reason: string; readonly until: EpochMs }
  | { readonly kind: "backoff"; readonly until: EpochMs; readonly failure: Failure }
  | { readonly kind: "timer"; readonly until: EpochMs }
  | { readonly kind: "signal"; readonly signal: string; readonly until?: EpochMs }
  | ApprovalReason
  | { readonly kind: "children"; readonly unsettled: number }
  /** The step could run, and the process that owns the journal will start it. */
  | { readonly kind: "ready" };

/** How it ended, and the cause unless it succeeded. */
export interface EndedReason {
  readonly kind: "ended";
  readonly status: string;
  /** The failure that ended the execution. */
  readonly failure?: Failure;
  /** The cause of the skip. */
  readonly skip?: SkipCause;
  /** How it was cancelled: it never began, it stopped by itself when told to, or it was ended by force. */
  readonly stopped?: "unbegun" | "itself" | "by-force";
  /** The reason of the cancellation, if one was given. */
  readonly reason?: string;
  /** It succeeded and was then undone. */
  readonly undone?: true;
}

/** STATE-10, with names instead of indexes. */
export type SkipCause =
  /** With the text of the `when` condition. */
  | { readonly kind: "condition"; readonly condition?: string }
  | { readonly kind: "skipped-by-handler" | "failing"; readonly message: string }
  | { readonly kind: "disabled" }
  /** With the failure of the dependency, if the dependency itself failed. */
  | { readonly kind: "dependency-failed"; readonly dependency: string; readonly failure?: Failure }
  | { readonly kind: "fallback-unused"; readonly primary: string };

/** Waits for votes: who may vote, how many must approve, and the votes so far. */
export interface ApprovalReason {
  readonly kind: "approval";
  readonly by?: readonly string[];
  readonly quorum: number;
  /** The voters who have approved so far. */
  readonly approved: readonly string[];
  /** The last request for changes, if there is one. It discarded the earlier approvals. */
  readonly changes?: { readonly by: string; readonly comment?: string };
  /** The question. */
  readonly message?: string;
  /** Each vote to approve must have an answer that fits the schema of the approval. */
  readonly needsAnswer?: true;
  readonly until?: EpochMs;
}

/** The scheduler's reason, with the names of the steps that hold resources or have reserved them. */
export type AdmissionReason = WaitReason<StepOfExecution>;

/** A step, named by its execution and its name. */
export interface StepOfExecution {
  readonly execution: string;
  readonly step: string;
  /** The label of the item that the step belongs to, if its map defines labels. */
  readonly label?: string;
}

/** A reason why an execution or a step does not make progress. */
export interface Waiting {
  /** Absent if the reason concerns the execution as a whole. */
  readonly step: string | undefined;
  /** The label of the item that the step belongs to, if its map defines labels. */
  readonly label?: string;
  /** The reason as data. */
  readonly reason: Reason;
  /** The reason as a sentence. */
  readonly text: string;
}
