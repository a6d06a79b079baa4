// A runner carries out attempts. It does not know what an attempt means for its execution; it says how it ended, once.

import type { EpochMs, Json, Outcome, SecretPlace } from "@segno/kernel";

export interface Runner {
  /** Whether there is something to run under this name (FAIL-9). */
  knows(agent: string): boolean;
  start(attempt: Attempt): void;
  /** Fires the attempt's signal; with force, gives it up: whatever it still returns counts for nothing (CANCEL-2). */
  abort(key: string, force: boolean, reason: string): void;
  /** Whether an attempt is still under way here. */
  isRunning(key: string): boolean;
  /** Ends when nothing runs any more. */
  idle(): Promise<void>;
}

export interface Attempt {
  /** Execution, step and epoch: unique for ever. */
  readonly key: string;
  readonly agent: string;
  readonly execution: string;
  readonly workflow: string;
  readonly step: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly deadline: EpochMs | undefined;
  /** Stable over retries and restarts, for calls to others that must count once (IDEM-4). */
  readonly token: () => string;
  /** The step's own input, if it has one; otherwise the workflow's. */
  readonly input: () => Json;
  /** What the handler gets first: the outputs of the direct dependencies. */
  readonly outputs: () => Readonly<Record<string, Json>>;
  readonly secrets: readonly SecretPlace[];
  readonly end: (outcome: Outcome) => void;
}
