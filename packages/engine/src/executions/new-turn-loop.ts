// The turn loop of an engine, wired to its dispatcher.

import type { ContentHash } from "@segno/kernel";
import type { Dispatcher } from "../attempts/dispatcher.ts";
import type { Timers } from "../clock/timers.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";
import type { Committer } from "../turn/committer.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import { publish } from "../turn/publish.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import type { ExecutionsOptions } from "./executions-options.ts";

export interface TurnLoopParts {
  readonly committer: Committer;
  readonly admission: AdmissionController;
  readonly timers: Timers;
  readonly dispatcher: Dispatcher;
  /** False if the store keeps no executions. */
  readonly isDurable: boolean;
  loadValues(execution: LiveExecution, hashes: readonly ContentHash[]): void;
  onFault(execution: LiveExecution, error: unknown): void;
  idle(execution: LiveExecution): void;
  onEnded(execution: LiveExecution): void;
}

export function newTurnLoop(options: ExecutionsOptions, { dispatcher, ...parts }: TurnLoopParts): TurnLoop {
  const { environment, registry, limits, onMessagesTaken } = options;
  return new TurnLoop({
    ...parts,
    environment,
    journalMax: limits.journal,
    canRun: (execution, step) => dispatcher.canRun(execution, step),
    attemptTimeout: (execution, step) => dispatcher.attemptTimeout(execution, step),
    run: (execution, effect, overdueAt) => dispatcher.run(execution, effect, overdueAt),
    abort: (execution, effect) => dispatcher.abort(execution, effect),
    postpone: (...deadline) => dispatcher.postpone(...deadline),
    resolve: (execution, effect) => dispatcher.resolve(execution, effect),
    definition: (hash) => ({ hash, body: registry.text(hash)! }),
    publish: (execution, events) => publish(execution, events, options),
    onMessagesTaken,
  });
}
