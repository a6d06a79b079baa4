// Why something waits (SCHED-7), as data and as a sentence.

import type { EpochMs, Failure } from "@segno/kernel";
import type { WaitReason } from "../scheduler/wait-reason.ts";

/** What an execution, or a step that has not ended, waits for. */
export type Reason =
  | Admission
  | { readonly kind: "ended"; readonly status: string }
  | { readonly kind: "paused" }
  | { readonly kind: "parked"; readonly reason: string }
  | { readonly kind: "dependency"; readonly on: readonly string[] }
  | { readonly kind: "running"; readonly attempt: number }
  | { readonly kind: "stopping" }
  | { readonly kind: "backoff"; readonly until: EpochMs; readonly failure: Failure }
  | { readonly kind: "timer"; readonly until: EpochMs }
  | { readonly kind: "signal"; readonly signal: string; readonly until?: EpochMs }
  | { readonly kind: "approval"; readonly by?: readonly string[]; readonly quorum: number; readonly until?: EpochMs }
  | { readonly kind: "children"; readonly unsettled: number }
  /** It could run; the process that owns the journal will see to it. */
  | { readonly kind: "ready" };

/** What the scheduler says, with the holders of resources by their names. */
export type Admission = WaitReason<StepOfExecution>;

export interface StepOfExecution {
  readonly execution: string;
  readonly step: string;
}

export interface Waiting {
  /** Absent where it is about the execution as a whole. */
  readonly step: string | undefined;
  readonly reason: Reason;
  readonly text: string;
}
