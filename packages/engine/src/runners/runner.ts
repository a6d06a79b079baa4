// A runner runs attempts. It knows nothing about executions; it reports the end of each attempt once.

import type { AgentDefinition, RunnableAction, EpochMs, Json, Outcome } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { StepLogger } from "../events/logger.ts";
import type { LogStream } from "../store/step-logs.ts";

export interface Runner {
  /** The attempt never ends before `start` returns. */
  start(attempt: Attempt): RunningAttempt;
  /**
   * The number of event-loop ticks that the engine waits before it commits, so that attempts that end meanwhile share
   * the commit. 0 if no running attempt can end that soon.
   */
  readonly commitDelayTicks: number;
  /**
   * Resolves when no attempt runs. Abandoned threads, processes and requests still count, because they are being
   * terminated. Abandoned functions do not count: they cannot be terminated and may never settle (CANCEL-2).
   */
  idle(): Promise<void>;
  /** Ends all running attempts by force and leaves nothing behind. */
  close?(): Promise<void>;
}

export interface RunningAttempt {
  /** Fires the attempt's abort signal. With `force`, also abandons the attempt: its result is ignored (CANCEL-2). */
  abort(force: boolean, reason: string): void;
}

/**
 * An attempt as runners see it: the part that all of them read, and a part for each kind of action. Everything is
 * computed on demand, because most attempts use little of it.
 */
export interface Attempt extends AgentInputs, CommandInputs {
  /** The action as the definition has it, with templates. */
  readonly action: RunnableAction;
  readonly execution: string;
  readonly step: string;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  /** False if the attempt was stopped before it started: then it must not start (CANCEL-1). */
  isUnderWay(): boolean;
  /** Idempotency token, stable across retries and restarts (IDEM-4). */
  token(): string;
  /** For commands and requests: the action with values and secrets in place of its templates. */
  renderedAction(): RenderedAction;
  /** Takes raw bytes of a stream; the log splits them into lines and masks them. */
  writeStream(stream: LogStream, chunk: Uint8Array): void;
  maskText(text: string): string;
  /** Reports the outcome, once; ignored if the attempt was abandoned. */
  end(outcome: Outcome): void;
  /**
   * No part of the attempt runs any more. Called once: before or after `end`, or after the attempt was abandoned
   * (CANCEL-2).
   */
  onExited(): void;
}

/** The part of an attempt that only agents need, on the engine's own thread or on a worker thread. */
interface AgentInputs {
  /** The agent, if it runs on the engine's own thread. */
  readonly mainThreadAgent: Agent | undefined;
  /** The workflow's definition of the agent. */
  readonly agentDefinition: AgentDefinition | undefined;
  readonly workflow: string;
  readonly correlationId: string;
  /** When the execution started. */
  readonly executionStartedAt: EpochMs;
  /** The secrets that the step requested, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The amounts of resources that the step holds (SCHED-4). */
  readonly resources: Readonly<Record<string, number>>;
  /** The step's own input, or else the workflow's. */
  input(): Json;
  /** The outputs of the direct dependencies, by step: the first argument of `Agent.execute`. */
  dependencyOutputs(): Readonly<Record<string, Json>>;
  /** Adds the ids of execution, step and attempt to every line. */
  logger(): StepLogger;
  /** Records a heartbeat. */
  beat(): void;
}

/** The part of an attempt that only commands need. */
interface CommandInputs {
  /** Exit codes that are retried (ruling 26). */
  readonly retriedExitCodes: readonly number[];
  /** Identifies this attempt in the environment variables of its processes, so that leftover processes can be found. */
  marker(): string;
  /** Masks a stream before it is truncated: cutting through a secret would leave half of it unmasked (DATA-9). */
  maskStream(): MaskedStream;
  /**
   * Tells the engine to drop the deadline of the attempt. The command has done its work; terminating its leftover
   * processes has a time limit of its own (FAIL-4).
   */
  stopDeadline(): void;
}

/** Removes secrets from a stream of bytes; may hold some bytes back until later. */
export interface MaskedStream {
  write(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** The parts of a command (`argv`, `env`) or of a request (`url`, `headers`, `body`). */
export interface RenderedAction {
  readonly argv?: readonly Json[];
  readonly env?: Readonly<Record<string, Json>>;
  readonly url?: Json;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
}
