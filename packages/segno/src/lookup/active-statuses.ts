import type { ExecutionStatus } from "@segno/kernel";

/** States of executions with which something may be going on. */
export const ACTIVE_STATUSES: readonly ExecutionStatus[] = [
  "pending",
  "validating",
  "running",
  "failing",
  "cancelling",
];
