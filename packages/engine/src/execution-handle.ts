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

/** How a wish was received: it was taken, or there was nothing to do, and why (CANCEL-6). */
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
  signal(name: string, payload?: Json, options?: { readonly id?: string }): Promise<Reception>;
}
