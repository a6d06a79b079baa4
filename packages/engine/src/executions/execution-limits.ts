// The limits of the executions in memory.

import { SCHEDULER_LIMITS, type SchedulerLimits } from "../scheduler/scheduler-ports.ts";

/** Limits of an engine that apply to its executions. */
export interface ExecutionLimits extends SchedulerLimits {
  /** The maximum number of executions in memory. A start beyond the limit waits. */
  readonly liveExecutions: number;
  /**
   * The maximum number of events of one execution. An execution beyond the limit is parked, so that an endless loop
   * does not fill the disk.
   */
  readonly journal: number;
  /** The maximum number of recorded calls of one attempt. */
  readonly recordedCalls: number;
}

export const EXECUTION_LIMITS: ExecutionLimits = Object.freeze({
  ...SCHEDULER_LIMITS,
  liveExecutions: 10_000,
  journal: 1_000_000,
  recordedCalls: 10_000,
});
