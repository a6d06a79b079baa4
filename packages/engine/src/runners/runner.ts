// A runner carries out attempts. It does not know what an attempt means for its execution; it says how it ended, once.

import type { EpochMs, Json, Outcome, SecretPlace } from "@segno/kernel";
import type { Agent } from "./agent.ts";
import type { Logger } from "../events/logger.ts";

export interface Runner {
  /** Whether there is something to run under this name (FAIL-9). */
  knows(agent: string): boolean;
  /** The attempt never ends before this returns. */
  start(attempt: Attempt): Running;
  /** Whether anything is under way. */
  readonly isBusy: boolean;
  /** Ends when nothing runs any more. */
  idle(): Promise<void>;
}

/** An attempt under way. */
export interface Running {
  /** Fires the attempt's signal; with force, gives it up: whatever it still returns counts for nothing (CANCEL-2). */
  abort(force: boolean, reason: string): void;
}

/** What a runner is given. Nothing of it is made before it is asked for: most functions look at little. */
export interface Attempt {
  readonly agent: string;
  /** What is behind the agent's name, where it is an agent of this process. */
  readonly own: Agent | undefined;
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly deadline: EpochMs | undefined;
  readonly secrets: readonly SecretPlace[];
  /** False when it was stopped before it began: then it does not begin (CANCEL-1). */
  isWanted(): boolean;
  /** Stable over retries and restarts, for calls to others that must count once (IDEM-4). */
  token(): string;
  /** The step's own input, if it has one; otherwise the workflow's. */
  input(): Json;
  /** What the handler gets first: the outputs of the direct dependencies. */
  outputs(): Readonly<Record<string, Json>>;
  /** Adds the ids of execution, step and attempt to every line. */
  logger(): Logger;
  /** Says that it is still at work. */
  beat(): void;
  end(outcome: Outcome): void;
}
