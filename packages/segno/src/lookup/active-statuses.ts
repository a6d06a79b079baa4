import type { ExecutionStatus } from "@segno/kernel";

/** Statuses of executions whose steps may run. */
export const ACTIVE_STATUSES: readonly ExecutionStatus[] = [
  "pending",
  "validating",
  "running",
  "failing",
  "cancelling",
];
