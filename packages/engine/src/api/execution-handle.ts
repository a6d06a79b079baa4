// A handle on one execution: what `start` and `get` give.

import type {
  EpochMs,
  ExecutionSnapshot,
  Json,
  NotUndoneStep,
  ParkCause,
  StepRelation,
  StepSnapshot,
} from "@segno/kernel";
import type { EventBatch } from "../events/bus.ts";
import type { CancelOptions, CommandResult, RetryOptions, VoteOptions } from "../inbox/command-options.ts";

/** Where an execution is: what its journal says, and what only this process knows. */
export interface ExecutionReport extends ExecutionSnapshot {
  /** Each name once: what earlier rounds undid, or opened into and began anew, is left out (STATE-9). */
  readonly steps: readonly StepReport[];
  /** Why it is parked, or is being or was cancelled. */
  readonly reason?: string;
  /** The cause of a parked execution, as a code for programs. */
  readonly cause?: ParkCause;
  /** The step that failed it. */
  readonly failedStep?: string;
  /** What it ended without having undone, newest first, and why; absent when there is nothing of the kind (FAIL-8). */
  readonly notUndone?: readonly NotUndoneStep[];
  /** When its payloads were removed, if they were: it refuses a new round since then (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
  /** When the steps that run here last said that they are at work (`context.heartbeat()`). */
  readonly heartbeats: Readonly<Record<string, EpochMs>>;
}

/** With how it stands to the others; `parent` and `undoes` are places. */
export interface StepReport extends StepSnapshot, StepRelation {
  /** Where the journal's events have it. */
  readonly place: number;
  /** Of the item that the step stands in, where its map gives labels. As it came: whoever shows it makes it safe. */
  readonly label?: string;
}

export interface ExecutionHandle<Output = Json> {
  readonly id: string;
  /** The output; rejects with a `SegnoError` when the execution failed or was cancelled. */
  result(): Promise<Output>;
  status(): Promise<ExecutionReport>;
  /**
   * What a step gave, whole, by its name, such as `build` or `deploy/3`: what those that depend on it read. Nothing when it has
   * given none. Rejects with `PAYLOAD_REMOVED` where it was removed (DATA-11).
   */
  output(step: string): Promise<Json | undefined>;
  /** Everything that has happened and will, in order and without gaps, until it ends. */
  events(): AsyncIterable<EventBatch["events"][number]>;
  cancel(options?: CancelOptions): Promise<CommandResult>;
  pause(): Promise<CommandResult>;
  resume(): Promise<CommandResult>;
  /** A failed execution tries again what did not succeed; with `undo` only what could not be undone (FAIL-8). */
  retry(options?: RetryOptions): Promise<CommandResult>;
  /**
   * Brings something to whichever step waits for it, now or later; it counts once by its id (BEYOND-2). Rejects with
   * `SIGNAL_INVALID` where it does not fit the step that waits: that one waits on, and the signal is kept for another.
   */
  signal(name: string, payload?: Json, options?: { readonly id?: string }): Promise<CommandResult>;
  /** Votes on an approval, by the name of its step, such as `ask` or `deploy/3/ask` (BEYOND-2). */
  approve(step: string, vote: VoteOptions): Promise<CommandResult>;
  /** One rejection fails the step, with the comment. */
  reject(step: string, vote: VoteOptions): Promise<CommandResult>;
  /** Nobody's vote counts any more, and everybody is asked again. */
  requestChanges(step: string, vote: VoteOptions & { readonly comment: string }): Promise<CommandResult>;
}
