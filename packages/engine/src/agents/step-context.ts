// The context that a handler gets beside its inputs.

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../events/logger.ts";

export interface StepContext<Input = Json> {
  readonly input: Input;
  /** Fires when the attempt should stop: its execution is cancelled, its time is over, the engine closes (CANCEL-1). */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly workflow: string;
  /** As the start said; the execution's id where it said nothing. */
  readonly correlationId: string;
  /** When the execution started. */
  readonly startedAt: EpochMs;
  readonly stepId: string;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  readonly token: string;
  /** The secrets that the step asked for, by their names; their values are masked wherever they show (DATA-9). */
  readonly secrets: Readonly<Record<string, string>>;
  /** What the step holds while it runs, by the names of resources; only what it declares, all or none (SCHED-4). */
  readonly resources: Readonly<Record<string, number>>;
  /** Writes lines with the ids of execution, step and attempt (EVENT-5). */
  readonly logger: StepLogger;
  /**
   * Says that it is still at work; `status` shows when it last did. Throws when the attempt should stop, so a loop that
   * beats ends in time without looking at its signal.
   */
  heartbeat(): void;
}
