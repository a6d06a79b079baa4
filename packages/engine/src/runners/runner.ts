// A runner runs attempts of one kind. It knows nothing about executions.
//
// There are two runners for agents, and one each for commands (`run`, `exec`) and for requests (`http`):
//   - The main-thread runner calls agents on the main thread, which is the thread that the engine itself runs on.
//   - The thread runner calls agents that are modules on worker threads.
//
// Every runner uses these words for the life of an attempt:
//   - started: the runner has accepted the attempt (`start`). It runs the attempt later, after the current turn.
//   - ended: the runner has reported the outcome (`onEnded`), at most once.
//   - exited: nothing of the attempt runs any more (`onExited`), except processes that SIGKILL does not terminate. Reported
//     once, before or after it ended.
//   - aborted: the attempt was asked to stop (`abort`). It still ends, when its code reacts.
//   - force-stopped: `abort` was called with `force`. The attempt does not end, and only exits. Public names call this
//     abandoned: `Agent.abandoned`, `onAbandon` of a resource.
//   - lingering: the attempt has ended or was force-stopped, and has not exited. A worker thread, a process or a socket
//     lingers briefly while its runner terminates it. A main-thread agent cannot be terminated, and may linger for ever;
//     the processes that it owns are terminated.

import type { AgentDefinition, RunnableAction, EpochMs, IterationData, Json, Outcome } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { ProgressValue } from "../agents/progress.ts";
import type { ExecutionInfo, ReceivedArtifacts, StepInfo } from "../agents/step-context.ts";
import type { StepLogger } from "../events/logger.ts";
import type { CallRecorder } from "./recorded-calls.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import type { AttemptSpan } from "../tracing/attempt-span.ts";
import type { LogStream } from "../store/step-logs.ts";

export interface Runner {
  /** The attempt neither ends nor exits before `start` returns. */
  start(attempt: Attempt): AttemptHandle;
  /**
   * The number of event-loop ticks that the engine waits before it commits, so that attempts that end meanwhile share
   * the commit. 0 if no running attempt can end that soon.
   */
  readonly commitDelayTicks: number;
  /**
   * Resolves when every attempt has exited, except lingering main-thread agents: they cannot be terminated, and their
   * promises may never settle (CANCEL-2).
   */
  idle(): Promise<void>;
  /** Force-stops all running attempts; resolves when they have exited. */
  close?(): Promise<void>;
}

export interface AttemptHandle {
  /** Fires the attempt's abort signal. With `force`, also force-stops the attempt: its result is ignored (CANCEL-2). */
  abort(force: boolean, reason: string): void;
  /**
   * Resolves when the processes that a main-thread agent owns have exited; undefined if none runs. They can be terminated,
   * although the agent itself cannot.
   */
  readonly processesExited?: Promise<void> | undefined;
}

/**
 * An attempt as runners see it: a part that all runners read, a part for agents and a part for processes. Everything is
 * computed on demand, because most attempts use little of it.
 */
export interface Attempt extends AgentInputs, ProcessInputs {
  /** The action as the definition has it: its templates are not rendered. */
  readonly action: RunnableAction;
  /** The id of the execution. */
  readonly execution: string;
  /** The name of the step. */
  readonly step: string;
  /** The number of this attempt among the attempts of its step. */
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  /** Whether this is still the attempt that its step waits for. If not, the runner must not run it (CANCEL-1). */
  isCurrent(): boolean;
  /** An idempotency key for external calls: the same in every attempt of the step, before and after a restart (IDEM-4). */
  token(): string;
  /** The W3C trace context of the attempt (EVENT-6). */
  traceparent(): string;
  /** For commands and requests: the action with values and secrets in place of its templates. */
  renderedAction(): RenderedAction;
  /**
   * Adds bytes of a stream to the log, which masks them and splits them into lines. Bytes that are already masked may be
   * passed too.
   */
  writeStream(stream: LogStream, chunk: Uint8Array): void;
  /** Keeps the latest progress of the attempt. Ignored when the attempt has ended. */
  reportProgress(progress: ProgressValue): void;
  /** Masks secrets in a text. */
  maskText(text: string): string;
  /** The attempt has ended with this outcome. Called at most once, and never after the attempt was force-stopped. */
  onEnded(outcome: Outcome): void;
  /**
   * The attempt has exited: nothing of it runs any more. Called once, before or after `onEnded`. Not called for a
   * main-thread agent whose promise never settles (CANCEL-2).
   */
  onExited(): void;
}

/** The part of an attempt that only agents need, on the main thread or on a worker thread. */
interface AgentInputs {
  /** The agent, if it runs on the main thread. */
  readonly mainThreadAgent: Agent | undefined;
  /** The span of the attempt, in which an agent on the main thread is called; undefined if there are no traces. */
  readonly span?: AttemptSpan | undefined;
  /** The workflow's definition of the agent. */
  readonly agentDefinition: AgentDefinition | undefined;
  /** The secrets that the step requested, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The amounts of resources that the step holds (SCHED-4). */
  readonly resources: Readonly<Record<string, number>>;
  /** The files of the dependencies, by step. */
  readonly artifacts: ReceivedArtifacts;
  executionInfo(): ExecutionInfo;
  stepInfo(): StepInfo;
  /** The step's own input, or else the workflow's. */
  input(): Json;
  /** The outputs of the direct dependencies, by step: the first argument of `Agent.execute`. */
  dependencyOutputs(): Readonly<Record<string, Json>>;
  /** Only for a step of a repetition (STATE-13). */
  iteration(): IterationData | undefined;
  /** Adds the ids of execution, step and attempt to every line. */
  logger(): StepLogger;
  /** Records the calls of this attempt; undefined if it cannot make any. */
  recorder(): CallRecorder | undefined;
  /** Records a heartbeat. */
  recordHeartbeat(): void;
}

/** The part of an attempt that only process trees need, of commands and of agents. */
interface ProcessInputs {
  /** The folder with the files of the dependencies; undefined if they have none. */
  readonly artifactFolder: string | undefined;
  /** Exit codes that are retried, beside 75. */
  readonly retriedExitCodes: readonly number[];
  /** Identifies this attempt in the environment variables of its processes, so that its remaining processes can be found. */
  marker(): string;
  /** Masks one stream before it is truncated: cutting through a secret would leave half of it unmasked (DATA-9). */
  newStreamMasker(): StreamMasker;
  /**
   * Tells the engine to drop the deadline of the attempt. The command or the agent has done its work; the termination of
   * its remaining processes has a time limit of its own (FAIL-4).
   */
  dropDeadline(): void;
}

/** The parts of a command (`argv`, `env`, `cwd`, `shell`, `stdin`) or of a request (`url`, `headers`, `body`). */
export interface RenderedAction {
  readonly argv?: readonly Json[];
  readonly cwd?: Json;
  readonly shell?: readonly Json[];
  readonly stdin?: Json;
  readonly env?: Readonly<Record<string, Json>>;
  readonly url?: Json;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
}
