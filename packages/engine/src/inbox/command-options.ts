// The options of commands, and the answer that the sender of a command gets.

import type { ExecutionStatus, IgnoreReason, Json } from "@segno/kernel";

/** How an execution is cancelled. */
export interface CancelOptions {
  /** `abort`, the default, stops running attempts. `drain` lets them finish (CANCEL-2, CANCEL-3). */
  readonly mode?: "abort" | "drain";
  /** The reason, for the journal and for people. The default is `cancelled`. */
  readonly reason?: string;
  /** How long running attempts may clean up before they are ended by force. The default is the grace of the workflow. */
  readonly graceMs?: number;
  /** Undoes the steps that have succeeded, newest first (FAIL-8). The default is false. */
  readonly compensate?: boolean;
}

/** How an execution is retried. */
export interface RetryOptions {
  /**
   * Retries only compensations that failed. This also works for a cancelled execution. The execution then ends with the
   * same status as before.
   */
  readonly undo?: boolean;
  /**
   * Runs the failures again that a completed execution tolerated: failed items of maps, and failed steps with
   * `onError: continue`. Steps that depend on them start over; all others keep their results.
   */
  readonly tolerated?: boolean;
}

/** A vote on an approval. */
export interface VoteOptions {
  /**
   * The name of the voter. The caller is responsible for its authenticity. If the approval lists its voters, it must be
   * one of them.
   */
  readonly by: string;
  /** A comment, which the journal records with the vote. */
  readonly comment?: string;
  /**
   * The answer that an approval with a `schema` asks for. Only `approve` has one. A vote whose answer does not fit rejects
   * with `ANSWER_INVALID`, and the approval still waits.
   */
  readonly answer?: Json;
  /** The id of the vote. A vote counts once by id, so a caller that supplies an id can safely send the vote again. */
  readonly id?: string;
}

/**
 * The result of a control command. `accepted` means that the execution has taken it. `ignored` means that it had no
 * effect, for the given reason (CANCEL-6). `posted` means that another process owns the execution: the command is
 * durable, and the journal records its effect once the owner takes it. Reasons include `ended`, `not-failed`,
 * `not-ended`, `nothing-to-undo`, `not-completed`, `nothing-tolerated`, `duplicate`, `unknown-step`, `not-an-approval`, `not-waiting` and `not-an-approver`.
 */
export type CommandResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "posted" }
  | { readonly kind: "ignored"; readonly reason: IgnoreReason; readonly status: ExecutionStatus | "none" };
