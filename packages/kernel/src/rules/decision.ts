// What `decide` answers.

import type { Event } from "../journal/event.ts";
import type { ContentHash } from "../model/units.ts";
import type { Effect } from "./effect.ts";
import type { ExecutionStatus } from "../state/phase.ts";
import type { ResolvedCall } from "../state/state.ts";

export type Decision = Decided | Needs;

export interface Decided {
  readonly kind: "decided";
  /** In order; the same as the four fields below, made when asked for: a copy of the decision does not have them. */
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly event: Event | undefined;
  readonly effect: Effect | undefined;
  readonly moreEvents: readonly Event[] | undefined;
  readonly moreEffects: readonly Effect[] | undefined;
  /** What whoever caused the happening is told. */
  readonly answer: Reply;
  /** A step that is queued from now on, and what it will be run with. Not an event: it follows from the state (E3). */
  readonly queued: number | undefined;
  readonly resolvedCall: ResolvedCall | undefined;
  /** How much of the agenda this decision has dealt with. */
  readonly consumed: ConsumedEntry | undefined;
}

/** Stored values have to be loaded before this can be decided. Nothing has changed; ask again. */
export interface Needs {
  readonly kind: "needs";
  readonly values: readonly ContentHash[];
}

export type Reply =
  | { readonly kind: "accepted" }
  /** Nothing was to be done, and this is why (CANCEL-6). */
  | { readonly kind: "ignored"; readonly reason: IgnoreReason; readonly status: ExecutionStatus | "none" };

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
  | "not-started"
  | "not-asked"
  | "stale"
  | "duplicate"
  | "unknown-step"
  | "not-an-approval"
  | "not-waiting"
  | "not-an-approver"
  | "unwritable";

export interface ConsumedEntry {
  readonly queue: "failed" | "blockedSteps" | "unneededFallbacks" | "signals" | "scopes" | "ready" | "settledRegions";
  readonly count: number;
}

export const ACCEPTED: Reply = Object.freeze({ kind: "accepted" });
