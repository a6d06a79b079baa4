// The parts of the engine that the turn loop uses.

import type { ContentHash, DurationMs, Effect, Event, StepIndex, StoredValues } from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Content, MessageId } from "../store/store.ts";
import type { AdmissionController } from "./admission-controller.ts";
import type { Committer } from "./committer.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { TimerQueues } from "./execution-timers.ts";

export interface TurnLoopPorts {
  readonly environment: SystemPorts;
  readonly committer: Committer;
  readonly admission: AdmissionController;
  readonly timers: TimerQueues;
  readonly dispatcher: StepDispatcher;
  readonly storage: TurnStorage;
  readonly checkSchema: StoredValues["checkSchema"];
}

/** The dispatcher, as the turn loop sees it. */
export interface StepDispatcher {
  /** Whether something is registered that can run the step. */
  canRun(execution: LiveExecution, step: StepIndex): boolean;
  /** The timeout for attempts of a step that has none of its own. */
  attemptTimeout(execution: LiveExecution, step: StepIndex): DurationMs | undefined;
  /** Starts an attempt. `monotonicDeadline` is its deadline on the monotonic clock. */
  run(execution: LiveExecution, effect: Effect & { kind: "run" }, monotonicDeadline: number | undefined): void;
  abort(execution: LiveExecution, effect: Effect & { kind: "abort" }): void;
  /** Arms the deadline of an attempt once more, because it fired too early. */
  rearmDeadline(execution: LiveExecution, step: StepIndex, epoch: number, monotonicDeadline: number): void;
  /** Finds the definition of a called workflow. */
  resolveDefinition(execution: LiveExecution, effect: Effect & { kind: "resolve-definition" }): void;
}

/** The journals and values in the store, as the turn loop sees them. */
export interface TurnStorage {
  /** False without a store: then blocks are not encoded, and nothing waits for a commit. */
  readonly hasStore: boolean;
  /** Maximum number of events in a journal. */
  readonly journalMax: number;
  /** The content of a registered definition. */
  definitionContent(hash: ContentHash): Content;
  /** Loads stored values into the memory of the execution. */
  loadValues(execution: LiveExecution, hashes: readonly ContentHash[]): Promise<void>;
}

/** The parts that follow the turns of executions. */
export interface TurnListener {
  /** The events are durable. */
  onEvents(execution: LiveExecution, events: readonly Event[]): void;
  /** The transaction that removed the messages from the inbox is durable. */
  onMessagesConsumed(messages: readonly MessageId[]): void;
  /** The execution has nothing to do now. */
  onIdle(execution: LiveExecution): void;
  onEnded(execution: LiveExecution): void;
  /** The execution could not be made durable, or a bug broke it: the engine reconciles or quarantines it. */
  onFault(execution: LiveExecution, error: unknown): void;
}

/** Until a listener is connected, no execution is in memory, so no turn happens. */
export const NO_LISTENER: TurnListener = {
  onEvents: () => undefined,
  onMessagesConsumed: () => undefined,
  onIdle: () => undefined,
  onEnded: () => undefined,
  onFault: () => undefined,
};
