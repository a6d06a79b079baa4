// The handle on one execution, which `start` and `get` return.

import type { StepProgress } from "../store/step-progress.ts";
import type {
  EpochMs,
  ExecutionSnapshot,
  Json,
  NotUndoneStep,
  ParkCause,
  StepArtifact,
  StepRelation,
  StepSnapshot,
} from "@segno/kernel";
import type { EventBatch } from "../events/bus.ts";
import type { CancelOptions, CommandResult, RetryOptions, VoteOptions } from "../inbox/command-options.ts";

/** The events that `events` of a handle yields. */
export interface EventReadOptions {
  /** Only events after this sequence number. The default is 0: all. */
  readonly after?: number;
  /** Ends the iteration when it aborts, also while it waits for the next event. */
  readonly signal?: AbortSignal;
}

/** The status of an execution: the state that its journal records, and details that only this process knows. */
export interface ExecutionReport extends ExecutionSnapshot {
  /**
   * Each name appears once. Steps that earlier rounds undid, and children that a retry replaced, are left out
   * (STATE-9).
   */
  readonly steps: readonly StepReport[];
  /** The reason if the execution is parked, is being cancelled or was cancelled. */
  readonly reason?: string;
  /** The cause of a parked execution, as a code for programs. */
  readonly cause?: ParkCause;
  /** The step that made the execution fail. */
  readonly failedStep?: string;
  /**
   * Steps that should have been undone and were not, newest first, each with its reason. Absent if there are none
   * (FAIL-8).
   */
  readonly notUndone?: readonly NotUndoneStep[];
  /** The number of items and steps that failed without failing the execution; absent if there are none (STATE-7). */
  readonly toleratedFailures?: number;
  /** When the payloads were removed, if they were. An execution without payloads cannot be retried (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
  /** The time of the last `context.heartbeat()` of each step that runs in this process. */
  readonly heartbeats: Readonly<Record<string, EpochMs>>;
  /** The latest progress of each step that runs and has reported any, by step. */
  readonly progress: Readonly<Record<string, StepProgress>>;
}

/** The status of a step and its relations to other steps. `parent` and `undoes` are places of other steps. */
export interface StepReport extends StepSnapshot, StepRelation {
  /** The index of the step in the events of the journal. */
  readonly place: number;
  /**
   * The label of the item that the step belongs to, if its map defines labels. The label is raw text; a caller that
   * prints it must escape it.
   */
  readonly label?: string;
}

/** One execution: its result, its status, and commands to it. */
export interface ExecutionHandle<Output = Json> {
  /** The id of the execution. */
  readonly id: string;
  /** Resolves with the output. Rejects with a `SegnoError` if the execution failed or was cancelled. */
  result(): Promise<Output>;
  /** The current status of the execution and of its steps. */
  status(): Promise<ExecutionReport>;
  /**
   * The complete output of a step, by its name, such as `build` or `deploy/3`. This is the value that dependent steps
   * read. It is undefined if the step has no output. Rejects with `PAYLOAD_REMOVED` if the output was removed
   * (DATA-11).
   */
  output(step: string): Promise<Json | undefined>;
  /**
   * The files that the steps have kept, or those of one step and the steps inside of it, such as the items of a map
   * (DATA-13).
   */
  artifacts(step?: string): Promise<readonly StepArtifact[]>;
  /**
   * Copies a file that a step has kept to a path, where a file is replaced. Rejects with `ARTIFACT_NOT_FOUND` if the step has
   * no such file, and with `ARTIFACT_DAMAGED` if its content has changed.
   */
  copyArtifact(step: string, path: string, to: string): Promise<void>;
  /** The events of the execution, past and future, in order and without gaps, until it ends. */
  events(options?: EventReadOptions): AsyncIterable<EventBatch["events"][number]>;
  /** Cancels the execution: no step starts any more, and running attempts stop or finish, by `mode` (CANCEL-1). */
  cancel(options?: CancelOptions): Promise<CommandResult>;
  /** Starts no further step until `resume`. Running attempts finish (CANCEL-7). */
  pause(): Promise<CommandResult>;
  /** Continues a paused or parked execution. */
  resume(): Promise<CommandResult>;
  /**
   * Retries a failed execution: runs again the steps that did not succeed. With `undo` it retries only failed
   * compensations (FAIL-8).
   */
  retry(options?: RetryOptions): Promise<CommandResult>;
  /**
   * Sends a signal to the step that waits for it now or later. A signal counts once by id (BEYOND-2). Rejects with
   * `SIGNAL_INVALID` if the payload does not match the schema of the waiting step; that step keeps waiting, and the
   * signal is kept for another step.
   */
  signal(name: string, payload?: Json, options?: { readonly id?: string }): Promise<CommandResult>;
  /** Approves the approval with this step name, such as `ask` or `deploy/3/ask` (BEYOND-2). */
  approve(step: string, vote: VoteOptions): Promise<CommandResult>;
  /** Rejects the approval. One rejection fails the step, with the comment. */
  reject(step: string, vote: VoteOptions): Promise<CommandResult>;
  /** Discards all votes on the approval and asks every voter again. */
  requestChanges(step: string, vote: VoteOptions & { readonly comment: string }): Promise<CommandResult>;
}
