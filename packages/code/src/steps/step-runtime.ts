// The parts of this process that the steps of code workflows use.

import type { StepContext, StepReport, VoteOptions } from "@segno/engine";
import type { ProcessStarter } from "../agents/process-starter.ts";
import type { ErrorResolutionStrategy } from "../model/error-resolution.ts";
import type { TaskArtefact } from "../model/execution-session.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { UnlandedWork } from "../sessions/unlanded-work.ts";
import type { StepPorts } from "./code-ports.ts";
import type { WorkflowSpending } from "./workflow-spending.ts";

export interface StepRuntime {
  readonly ports: StepPorts;
  readonly sessions: SessionManager;
  /** The work of this process that has not landed. */
  readonly unlanded: UnlandedWork;
  /** Identifies this executor in claims, unless the execution names another owner. */
  readonly executorId: string;
  readonly strategy?: ErrorResolutionStrategy | undefined;
  readonly host: StepHost;
  /** Undefined if the tasks are in the engine's own store, where claims are never lost. */
  readonly claims?: ClaimWatch | undefined;
}

/** Watches the claims of this executor. */
export interface ClaimWatch {
  /** `taskId`: the id in the task backend. */
  watch(taskId: string): WatchedClaim;
}

export interface WatchedClaim extends Disposable {
  /** Aborts when another executor has got the task. */
  readonly signal: AbortSignal;
}

/** The engine, as far as steps use it beside their context. */
export interface StepHost {
  /** The processes of an attempt: they end with it. */
  processes(context: StepContext): ProcessStarter;
  /** The spending of a workflow that has a budget. */
  spending(executionId: string, budgetUsd: number): Promise<WorkflowSpending>;
  /** The policy of a merge is told if the execution is cancelled before the merge has landed. */
  mergeOpened(executionId: string, mergeId: string, cancel: () => Promise<void>): void;
  mergeLanded(executionId: string, mergeId: string): void;
  maskText(text: string): string;
  /** Calls back once, after a while on the engine's clock. Gives back how to stop it. */
  after(ms: number, call: () => void): () => void;
  readonly executions: StepExecutions;
}

/** The executions of the engine, as far as steps use them. */
export interface StepExecutions {
  pause(executionId: string): Promise<void>;
  /** The state of a step, by its name. */
  findStep(executionId: string, step: string): Promise<StepReport | undefined>;
  /** The results of the tasks that have landed, by task. */
  artefacts(executionId: string): Promise<Readonly<Record<string, TaskArtefact>>>;
  /** Votes for an approval. A vote on one that was decided before has no effect. */
  approve(executionId: string, step: string, vote: VoteOptions): Promise<void>;
}
