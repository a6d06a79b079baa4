// A runner carries out attempts. It does not know what an attempt means for its execution; it says how it ended, once.

import type { AgentDefinition, CallDefinition, EpochMs, Json, Outcome } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { StepLogger } from "../events/logger.ts";
import type { LogStream } from "../store/step-logs.ts";

export interface Runner {
  /** The attempt never ends before this returns. */
  start(attempt: Attempt): RunningAttempt;
  /**
   * For how many turns of the event loop an end is worth holding back, because others may come and share its commit; 0 when
   * nothing runs whose end may come so soon.
   */
  readonly commitDelayTicks: number;
  /** Ends when nothing runs any more. */
  idle(): Promise<void>;
  /** Ends what is still under way by force, and leaves nothing behind. */
  close?(): Promise<void>;
}

/** An attempt under way. */
export interface RunningAttempt {
  /** Fires the attempt's signal; with force, gives it up: whatever it still returns counts for nothing (CANCEL-2). */
  abort(force: boolean, reason: string): void;
}

/** What a runner is given. Nothing of it is made before it is asked for: most functions look at little. */
export interface Attempt {
  /** What is to be done, as it was written; `call` has the values. */
  readonly action: CallDefinition;
  /** The name of the agent; empty where the action is not an agent's. */
  readonly agent: string;
  /** What is behind the agent's name, where it is an agent of this process. */
  readonly localAgent: Agent | undefined;
  /** What the workflow says about the agent. */
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
  /** Exit codes that are worth another try (ruling 26). */
  readonly retriedExitCodes: readonly number[];
  /** The secrets that the step asked for, by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What the step holds of the resources that it declares (SCHED-4). */
  readonly resources: Readonly<Record<string, number>>;
  /** False when it was stopped before it began: then it does not begin (CANCEL-1). */
  isCurrent(): boolean;
  /** Stable over retries and restarts, for calls to others that must count once (IDEM-4). */
  token(): string;
  /** Names this attempt and no other, in the journal before it runs: what it leaves behind is found by it. */
  marker(): string;
  /** The step's own input, if it has one; otherwise the workflow's. */
  input(): Json;
  /** `argv`, `env`, `url`, `headers`, `body`: the templates of the action with values and secrets put in. */
  call(): RenderedAction;
  /** What the handler gets first: the outputs of the direct dependencies. */
  outputs(): Readonly<Record<string, Json>>;
  /** Adds the ids of execution, step and attempt to every line. */
  logger(): StepLogger;
  /** Something that it wrote, as it was written; whoever keeps it splits it into lines and masks it. */
  wrote(stream: LogStream, chunk: Uint8Array): void;
  /** For what is to be cut before it is handed on: a cut through a secret would leave half of it to be seen (DATA-9). */
  maskStream(): MaskedStream;
  maskText(text: string): string;
  /** Says that it is still at work. */
  beat(): void;
  /** Its work is done, in time; what it left behind is ended now, which has a time limit of its own. */
  cleaning(): void;
  /** How it ended. Counts once, and not when the attempt was given up. */
  end(outcome: Outcome): void;
  /** Nothing of it runs any more. Told once: before `end` or after it, or after it was given up (CANCEL-2). */
  onExited(): void;
}

/** Bytes in, the same bytes without secrets out; some of them a little later. */
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
