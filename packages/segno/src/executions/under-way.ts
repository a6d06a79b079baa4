import type { ExecutionStatus } from "@segno/kernel";

/** States of executions with which something may be going on. */
export const UNDER_WAY: readonly ExecutionStatus[] = ["pending", "validating", "running", "failing", "cancelling"];
