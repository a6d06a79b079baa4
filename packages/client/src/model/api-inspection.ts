// Answers about an execution beside its status: events, log lines, reasons to wait, approvals.

import type { EpochMs, Event, EventKind, JsonObject } from "@segno/kernel";

/** A live event: one for each event of the journal, with names instead of indexes. */
export interface ApiEvent {
  readonly kind: EventKind;
  readonly executionId: string;
  readonly workflow: string;
  readonly correlationId: string;
  /** The number of the event; the first one is 1. */
  readonly seq: number;
  readonly at: number;
  readonly step?: string;
  /** The label of the map item that the step belongs to. It is raw text; a caller that shows it must escape it. */
  readonly label?: string;
  readonly attempt?: number;
  /** The journal's own event. */
  readonly event: Event;
  /** For `execution.completed`: input, variables and steps at the end. */
  readonly context?: JsonObject;
}

/** A line that a step wrote. */
export interface ApiLogLine {
  readonly step: string;
  readonly attempt: number;
  readonly stream: "stdout" | "stderr" | "log";
  readonly at: EpochMs;
  /** It is raw text; a caller that shows it must escape it. */
  readonly text: string;
  /** Set on a line that replaces output that was cut. */
  readonly cut?: { readonly kind: string; readonly bytes: number };
}

/** A range of log lines, with the number of all lines that match. */
export interface ApiLogPage {
  readonly lines: readonly ApiLogLine[];
  readonly from: number;
  readonly total: number;
}

/** A reason why an execution, or one of its steps, waits. */
export interface ApiWaiting {
  /** Absent if the reason concerns the execution as a whole. */
  readonly step?: string;
  readonly label?: string;
  /** The reason as data; `kind` tells which other fields it has. */
  readonly reason: { readonly kind: string; readonly [field: string]: unknown };
  /** The reason as a sentence. */
  readonly text: string;
}

/** An approval that waits for votes. */
export interface ApiApproval {
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly message?: string;
  /** The only names whose votes count. */
  readonly by?: readonly string[];
  /** The number of votes that approve it. */
  readonly quorum: number;
  /** The names that have approved so far. */
  readonly approved: readonly string[];
  /** A vote that approves has to carry an answer. */
  readonly needsAnswer?: boolean;
  readonly until?: EpochMs;
}
