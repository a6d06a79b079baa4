// What the scheduler asks of the engine around it, and what it is told.

import type { Claim } from "./resources/claim.ts";
import type { StepName } from "./strategy-runner.ts";
import type { SchedulerClock } from "./scheduler-time.ts";

export interface SchedulerLimits {
  /** Attempts at once in this process (SCHED-1). */
  readonly slots: number;
  readonly perAgent: number;
}

export const SCHEDULER_LIMITS: SchedulerLimits = Object.freeze({ slots: 10, perAgent: 3 });

export interface SchedulerPorts<Owner> {
  grant(owner: Owner, step: number): void;
  readonly clock: SchedulerClock;
  /** When `wake` is to be called, on the monotonic clock; nothing when it need not be. Every call replaces the one before. */
  wakeAt(atMs: number | undefined): void;
  /** A strategy is broken. */
  report(error: unknown): void;
  /** How many steps depend on a step; for `hybrid` and for strategies of users. */
  weight(owner: Owner, step: number): number;
  /** What people call a step; for strategies of users. */
  stepName(owner: Owner, step: number): StepName;
}

/** An attempt that runs. */
export interface RunningStep {
  readonly step: number;
  readonly claim: Claim;
  readonly startedAtMs: number | undefined;
}
