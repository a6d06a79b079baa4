// A runner runs attempts. It knows nothing about executions; it reports the end of each attempt once.

import type { AgentDefinition, CallDefinition, EpochMs, Json, Outcome } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { StepLogger } from "../events/logger.ts";
import type { LogStream } from "../store/step-logs.ts";

export interface Runner {
  /** The attempt never ends before `start` returns. */
  start(attempt: Attempt): RunningAttempt;
  /**
   * How many ticks of the event loop a commit should wait, because other attempts may end and share it; 0 if no running
   * attempt can end that soon.
   */
  readonly commitDelayTicks: number;
  /** Resolves when no attempt runs. */
  idle(): Promise<void>;
  /** Ends all running attempts by force and leaves nothing behind. */
  close?(): Promise<void>;
}

export interface RunningAttempt {
  /** Fires the attempt's abort signal. With `force`, also abandons the attempt: its result is ignored (CANCEL-2). */
  abort(force: boolean, reason: string): void;
}

/** An attempt as runners see it. Everything is computed on demand, because most functions use little of it. */
export interface Attempt {
  /** The action as the definition has it; `call` returns it with values. */
  readonly action: CallDefinition;
  /** The name of the agent; empty if the action is not an agent call. */
  readonly agent: string;
  /** The agent, if it runs in this process. */
  readonly localAgent: Agent | undefined;
  /** The workflow's definition of the agent. */
  readonly agentDefinition: AgentDefinition | undefined;
  readonly execution: string;
  readonly workflow: string;
  readonly correlationId: string;
  /** When the execution started. */
  readonly startedAt: EpochMs;
  readonly step: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly deadline: EpochMs | undefined;
  /** Exit codes that are retried (ruling 26). */
  readonly retriedExitCodes: readonly number[];
  /** The secrets that the step requested, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The amounts of resources that the step holds (SCHED-4). */
  readonly resources: Readonly<Record<string, number>>;
  /** False if the attempt was stopped before it started: then it must not start (CANCEL-1). */
  isCurrent(): boolean;
  /** Idempotency token, stable across retries and restarts (IDEM-4). */
  token(): string;
  /** Identifies this attempt in the environment of its processes, so that leftover processes can be found. */
  marker(): string;
  /** The step's own input, or else the workflow's. */
  input(): Json;
  /** The action's templates (`argv`, `env`, `url`, `headers`, `body`) with values and secrets filled in. */
  call(): RenderedAction;
  /** The handler's first argument: the outputs of the direct dependencies. */
  outputs(): Readonly<Record<string, Json>>;
  /** Adds the ids of execution, step and attempt to every line. */
  logger(): StepLogger;
  /** Takes raw output; the log splits it into lines and masks it. */
  writeOutput(stream: LogStream, chunk: Uint8Array): void;
  /** Masks output before it is truncated: cutting through a secret would leave half of it unmasked (DATA-9). */
  maskStream(): MaskedStream;
  maskText(text: string): string;
  /** Records a heartbeat. */
  beat(): void;
  /** The work is done within its deadline; ending leftover processes has a time limit of its own. */
  onCleanup(): void;
  /** Reports the outcome, once; ignored if the attempt was abandoned. */
  end(outcome: Outcome): void;
  /**
   * No part of the attempt runs any more. Called once: before or after `end`, or after the attempt was abandoned
   * (CANCEL-2).
   */
  onExited(): void;
}

/** Removes secrets from a stream of bytes; may hold some bytes back until later. */
export interface MaskedStream {
  write(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

export interface RenderedAction {
  readonly argv?: readonly Json[];
  readonly env?: Readonly<Record<string, Json>>;
  readonly url?: Json;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
}
