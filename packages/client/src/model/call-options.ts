// The options of the calls of a client.

import type { Json } from "@segno/kernel";

/** Ends a call early. */
export interface AbortOptions {
  /** Aborts the call. The server may carry it out nevertheless. */
  readonly signal?: AbortSignal;
}

/** How an execution is started. */
export interface ApiStartOptions extends AbortOptions {
  /** The id of the execution; the server makes one if it is absent. */
  readonly id?: string;
  /** A call with the same key and the same body starts nothing again: it answers with the first execution. */
  readonly idempotencyKey?: string;
  /** Steps of executions with a higher priority start first. */
  readonly priority?: number;
  /** Names and values, by which executions can be listed. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Names what the execution belongs to; events and logs carry it. The server makes one if it is absent. */
  readonly correlationId?: string;
  /** Waits up to this many seconds for the end, at most 30. */
  readonly wait?: number;
  /** The W3C trace context of the caller. */
  readonly traceparent?: string;
}

/** How an execution is cancelled. */
export interface ApiCancelOptions {
  /** `abort`, the default, stops running attempts. `drain` lets them finish. */
  readonly mode?: "abort" | "drain";
  /** The reason, for the journal and for people. */
  readonly reason?: string;
  /** How long running attempts may clean up before they are ended by force. */
  readonly graceMs?: number;
  /** Undoes the steps that have succeeded, newest first. */
  readonly compensate?: boolean;
}

/** How an execution is retried. */
export interface ApiRetryOptions {
  /** Retries only compensations that failed. */
  readonly undo?: boolean;
  /** Runs the failures again that a completed execution tolerated. */
  readonly tolerated?: boolean;
}

/** A vote on an approval. The voter is the name of the token. */
export interface ApiVote {
  /** The name of the step, such as `ask` or `deploy/3/ask`. */
  readonly step: string;
  readonly verdict: "approve" | "reject" | "changes";
  readonly comment?: string;
  /** The answer that the approval asks for. */
  readonly answer?: Json;
  /** A vote counts once by its id; the client makes one if it is absent. */
  readonly id?: string;
}

/** The events to follow. */
export interface ApiEventsOptions extends AbortOptions {
  /** Only events after this number. */
  readonly after?: number;
}

/** The log lines to read. */
export interface ApiLogsOptions extends AbortOptions {
  /** Only lines of this step. */
  readonly step?: string;
  /** Only lines with this text. */
  readonly text?: string;
  /** Waits for further lines until the execution ends. */
  readonly follow?: boolean;
}

/** A range of log lines to read. */
export interface ApiLogPageOptions extends Omit<ApiLogsOptions, "follow"> {
  /** The first line of the range, from 0. */
  readonly from?: number;
  /** The number of lines, at most 10,000. */
  readonly limit?: number;
}
