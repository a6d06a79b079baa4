// The options of commands, and the answer that the sender of a command gets.

import type { ExecutionStatus, IgnoreReason } from "@segno/kernel";

export interface CancelOptions {
  /** `abort` stops what runs, `drain` lets it end (CANCEL-2, CANCEL-3). */
  readonly mode?: "abort" | "drain";
  readonly reason?: string;
  readonly graceMs?: number;
  readonly compensate?: boolean;
}

export interface RetryOptions {
  /**
   * Tries again to undo what could not be undone, and nothing else: also where the execution was cancelled. It then ends
   * as it had ended.
   */
  readonly undo?: boolean;
}

/** A vote on an approval. */
export interface VoteOptions {
  /** Who votes: a name that the caller answers for. Where the approval names its voters, one of those. */
  readonly by: string;
  readonly comment?: string;
  /** A vote counts once by its id; give one to be able to send it again. */
  readonly id?: string;
}

/**
 * How a command was received: it was taken, or there was nothing to do, and why (CANCEL-6). `posted` means that another process
 * owns the execution: the command is durable, and what came of it is in the journal when that one has taken it. Among the
 * reasons are `ended`, `not-failed`, `not-ended`, `nothing-to-undo`, `duplicate`, `unknown-step`, `not-an-approval`,
 * `not-waiting` and `not-an-approver`.
 */
export type CommandResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "posted" }
  | { readonly kind: "ignored"; readonly reason: IgnoreReason; readonly status: ExecutionStatus | "none" };
