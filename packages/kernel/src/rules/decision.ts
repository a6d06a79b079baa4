// The result of `decide`.

import type { Event } from "../journal/event.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash } from "../model/units.ts";
import type { Effect } from "./effect.ts";
import type { ExecutionStatus } from "../state/phase.ts";
import type { ResolvedCall } from "../state/state.ts";

/** The result of `decide`: a decision, or the values that it needs first. */
export type Decision = Decided | Needs;

/** A decision: events for the journal, and effects for the engine. */
export interface Decided {
  readonly kind: "decided";
  /**
   * All events and effects in order, computed on demand from the four fields below; a copy of the decision does not have them.
   */
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly event: Event | undefined;
  readonly effect: Effect | undefined;
  readonly moreEvents: readonly Event[] | undefined;
  readonly moreEffects: readonly Effect[] | undefined;
  /** The reply to the sender of the happening. */
  readonly reply: Reply;
  /** A step that is queued from now on, and its call. Not an event: it is derived from the state (E3). */
  readonly queued: number | undefined;
  readonly resolvedCall: ResolvedCall | undefined;
  /** The entries of the agenda that this decision has consumed. */
  readonly consumed: ConsumedEntry | undefined;
}

/** Stored values must be loaded before this can be decided. Nothing has changed; call `decide` again. */
export interface Needs {
  readonly kind: "needs";
  readonly values: readonly ContentHash[];
}

/** Whether a happening had an effect. */
export type Reply =
  | { readonly kind: "accepted" }
  /** The journal has the refusal. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** Why the happening was ignored (CANCEL-6). */
  | { readonly kind: "ignored"; readonly reason: IgnoreReason; readonly status: ExecutionStatus | "none" };

/** The reasons for which a happening has no effect. */
export type IgnoreReason =
  | "already-created"
  | "not-pending"
  | "ended"
  | "already-cancelling"
  | "already-held"
  | "not-held"
  | "not-failed"
  | "not-ended"
  | "nothing-to-undo"
  | "not-completed"
  | "nothing-tolerated"
  | "not-started"
  | "not-asked"
  | "stale"
  | "duplicate"
  | "unknown-step"
  | "not-an-approval"
  | "not-waiting"
  | "not-an-approver"
  | "unwritable";

/** Entries that a decision has taken from the agenda. */
export interface ConsumedEntry {
  readonly queue: "failed" | "blockedSteps" | "unneededFallbacks" | "signals" | "scopes" | "ready" | "settledRegions";
  readonly count: number;
}

export const ACCEPTED: Reply = Object.freeze({ kind: "accepted" });
