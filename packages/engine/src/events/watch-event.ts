// What subscribers see: one watch event for each event of the journal, with names instead of places (EVENT-1).

import type { Event, EventKind, ExecutionId } from "@segno/kernel";

export interface WatchEvent {
  readonly kind: EventKind;
  readonly executionId: ExecutionId;
  readonly workflow: string;
  readonly correlationId: string;
  readonly seq: number;
  readonly at: number;
  readonly step?: string;
  readonly attempt?: number;
  /** The journal's own event. */
  readonly event: Event;
}
