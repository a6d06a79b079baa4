// The parts of the engine that the turn loop uses.

import type { Advance, ContentHash, DurationMs, Effect, Event, StepIndex } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Content, MessageId } from "../store/store.ts";
import type { AdmissionController } from "./admission-controller.ts";
import type { Committer } from "./committer.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { TimerQueues } from "./wait-timers.ts";

export interface TurnLoopPorts {
  readonly environment: Environment;
  readonly committer: Committer;
  readonly admission: AdmissionController;
  readonly timers: TimerQueues;
  /** Maximum number of events in a journal. */
  readonly journalMax: number;
  /** False without a store: then blocks are not encoded, and nothing waits for a commit. */
  readonly isDurable: boolean;
  /** Whether something is registered that can run the step. */
  canRun(execution: LiveExecution, step: StepIndex): boolean;
  /** The timeout for attempts of a step that has none of its own. */
  attemptTimeout(execution: LiveExecution, step: StepIndex): DurationMs | undefined;
  /** Starts an attempt. `overdueAt` is its deadline on the monotonic clock. */
  run(execution: LiveExecution, effect: Effect & { kind: "run" }, overdueAt: number | undefined): void;
  abort(execution: LiveExecution, effect: Effect & { kind: "abort" }): void;
  /** The deadline of an attempt fired too early and is armed again. */
  postpone(execution: LiveExecution, step: StepIndex, epoch: number, overdueAt: number): void;
  resolve(execution: LiveExecution, effect: Effect & { kind: "resolve" }): void;
  loadValues(execution: LiveExecution, hashes: Advance["needs"]): void;
  /** The content of a registered definition. */
  definition(hash: ContentHash): Content;
  publish(execution: LiveExecution, events: readonly Event[]): void;
  /** The execution could not be made durable, or a bug broke it: the engine reconciles or quarantines it. */
  onFault(execution: LiveExecution, error: unknown): void;
  onEnded(execution: LiveExecution): void;
  /** The store has acknowledged the messages. */
  readonly onMessagesTaken: (messages: readonly MessageId[]) => void;
  /** The execution has nothing to do now. */
  readonly idle: (execution: LiveExecution) => void;
}
