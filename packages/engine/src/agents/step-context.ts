// The context that an agent gets beside its inputs.

import type { EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../events/logger.ts";

export interface StepContext<Input = Json> {
  readonly input: Input;
  /**
   * Aborts when the attempt should stop: the execution is cancelled, the attempt timed out, or the engine closes
   * (CANCEL-1).
   */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly workflow: string;
  /** The correlation id of the start; the execution's id if the start has none. */
  readonly correlationId: string;
  /** When the execution started. */
  readonly startedAt: EpochMs;
  readonly stepId: string;
  readonly attempt: number;
  readonly deadline: EpochMs | undefined;
  /** An idempotency key for external calls: the same in every attempt of the step, before and after a restart (IDEM-4). */
  readonly token: string;
  /** The secrets that the step declares, by name. Their values are masked in all output (DATA-9). */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * The amounts that the step holds while it runs, by resource name. It holds all resources that it declares, or none
   * (SCHED-4).
   */
  readonly resources: Readonly<Record<string, number>>;
  /** Writes log lines with the ids of execution, step and attempt (EVENT-5). */
  readonly logger: StepLogger;
  /**
   * Reports that the attempt is still at work; `status` shows the time of the last call. It throws when the attempt
   * should stop, so a loop with heartbeats ends without checking `signal`.
   */
  heartbeat(): void;
}
