// A handle on one execution: what `start` and `get` give.

import type { EpochMs, ExecutionSnapshot, Json } from "@segno/kernel";
import type { WatchBatch } from "./events/bus.ts";

export interface CancelOptions {
  /** `abort` stops what runs, `drain` lets it end (CANCEL-2, CANCEL-3). */
  readonly mode?: "abort" | "drain";
  readonly reason?: string;
  readonly graceMs?: number;
  readonly compensate?: boolean;
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
 * How a wish was received: it was taken, or there was nothing to do, and why (CANCEL-6). `posted` means that another process
 * owns the execution: the wish is durable, and what came of it is in the journal when that one has taken it. Among the
 * reasons are `ended`, `duplicate`, `unknown-step`, `not-an-approval`, `not-waiting` and `not-an-approver`.
 */
export type Reception =
  | { readonly kind: "accepted" }
  | { readonly kind: "posted" }
  | { readonly kind: "ignored"; readonly reason: string; readonly status: string };

/** Where an execution is: what its journal says, and what only this process knows. */
export interface ExecutionReport extends ExecutionSnapshot {
  /** When the steps that run here last said that they are at work (`context.heartbeat()`). */
  readonly heartbeats: Readonly<Record<string, EpochMs>>;
}

export interface ExecutionHandle<Output = Json> {
  readonly id: string;
  /** The output; rejects with a `SegnoError` when the execution failed or was cancelled. */
  result(): Promise<Output>;
  status(): Promise<ExecutionReport>;
  /** Everything that has happened and will, in order and without gaps, until it ends. */
  events(): AsyncIterable<WatchBatch["events"][number]>;
  cancel(options?: CancelOptions): Promise<Reception>;
  pause(): Promise<Reception>;
  resume(): Promise<Reception>;
  retry(): Promise<Reception>;
  /** Brings something to whichever step waits for it, now or later; it counts once by its id (BEYOND-2). */
  signal(name: string, payload?: Json, options?: { readonly id?: string }): Promise<Reception>;
  /** Votes on an approval, by the name of its step, such as `ask` or `deploy/3/ask` (BEYOND-2). */
  approve(step: string, vote: VoteOptions): Promise<Reception>;
  /** One rejection fails the step, with the comment. */
  reject(step: string, vote: VoteOptions): Promise<Reception>;
  /** Nobody's vote counts any more, and everybody is asked again. */
  requestChanges(step: string, vote: VoteOptions & { readonly comment: string }): Promise<Reception>;
}
