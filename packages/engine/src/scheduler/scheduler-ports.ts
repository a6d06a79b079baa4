// The interfaces between the scheduler and the engine.

import type { Claim } from "./resources/claim.ts";
import type { StepName } from "./strategy-runner.ts";
import type { SchedulerClock } from "./scheduler-time.ts";

/** Limits of concurrent attempts. */
export interface SchedulerLimits {
  /** Maximum of concurrent attempts in this process (SCHED-1). */
  readonly slots: number;
  /** Maximum of concurrent attempts of one named agent whose definition sets no limit. */
  readonly perAgent: number;
}

export const SCHEDULER_LIMITS: SchedulerLimits = Object.freeze({ slots: 10, perAgent: 3 });

export interface SchedulerPorts<Execution> {
  grant(execution: Execution, step: number): void;
  readonly clock: SchedulerClock;
  /** Requests a call of `wake` at a monotonic time; undefined for never. Every request replaces the one before. */
  requestWake(atMs: number | undefined): void;
  /** Reports a strategy that failed. */
  report(error: unknown): void;
  /** How many steps depend on a step; used by `hybrid` and by user-supplied strategies. */
  dependantCount(execution: Execution, step: number): number;
  /** The public names of a step; used by user-supplied strategies. */
  stepName(execution: Execution, step: number): StepName;
  /** The id of an execution; used by user-supplied strategies. */
  executionId(execution: Execution): string;
}

export interface RunningStep {
  readonly step: number;
  readonly claim: Claim;
  /** On the wall clock. */
  readonly startedAtMs: number | undefined;
}
