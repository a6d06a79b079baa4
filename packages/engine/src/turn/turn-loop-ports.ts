// What the turn loop asks of the engine around it.

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
  /** How many events a journal may have. */
  readonly journalMax: number;
  /** False when there is no store: then nothing is sealed and nothing is waited for. */
  readonly isDurable: boolean;
  /** Whether there is something to run a step with. */
  canRun(execution: LiveExecution, step: StepIndex): boolean;
  /** How long an attempt of a step may take where the step itself does not say so. */
  attemptTimeout(execution: LiveExecution, step: StepIndex): DurationMs | undefined;
  /** Starts an attempt; it is overdue at a time of the monotonic clock. */
  run(execution: LiveExecution, effect: Effect & { kind: "run" }, overdueAt: number | undefined): void;
  abort(execution: LiveExecution, effect: Effect & { kind: "abort" }): void;
  /** The deadline of an attempt came before its time. */
  postpone(execution: LiveExecution, step: StepIndex, epoch: number, overdueAt: number): void;
  resolve(execution: LiveExecution, effect: Effect & { kind: "resolve" }): void;
  loadValues(execution: LiveExecution, hashes: Advance["needs"]): void;
  /** The text of a definition that is in the library. */
  definition(hash: ContentHash): Content;
  publish(execution: LiveExecution, events: readonly Event[]): void;
  /** The execution could not be made durable, or is broken: the engine heals it or sets it aside. */
  onFault(execution: LiveExecution, error: unknown): void;
  onEnded(execution: LiveExecution): void;
  /** Called when messages are durably taken. */
  readonly onMessagesTaken: (messages: readonly MessageId[]) => void;
  /** Called when an execution has nothing to do at the moment. */
  readonly idle: (execution: LiveExecution) => void;
}
