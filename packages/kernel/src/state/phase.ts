// Phases: the status of a step as the journal records it.
//
// `ready` and `queued` are not among them. A waiting step whose dependencies are met is ready, and a step for which admission
// was requested is queued; both are derived and never written (ARCHITECTURE).

/** STATE-2, with the two derived statuses. */
export type StepStatus =
  | "waiting"
  | "ready"
  | "queued"
  | "running"
  | "retrying"
  | "suspended"
  | "open"
  | "cancelling"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled";

/** STATE-1, in the order in which an execution may pass through them. */
export const EXECUTION_STATUSES = [
  "pending",
  "validating",
  "running",
  "paused",
  "parked",
  "failing",
  "cancelling",
  "completed",
  "failed",
  "cancelled",
] as const;

/** The statuses of an execution. */
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const WAITING = 0;
export const RUNNING = 1;
export const RETRYING = 2;
export const SUSPENDED = 3;
export const OPEN = 4;
export const CANCELLING = 5;
export const SUCCEEDED = 6;
export const FAILED = 7;
export const SKIPPED = 8;
export const CANCELLED = 9;
export const PHASE_COUNT = 10;

/** Names of the phases by their number. */
export const PHASES: readonly StepStatus[] = [
  "waiting",
  "running",
  "retrying",
  "suspended",
  "open",
  "cancelling",
  "succeeded",
  "failed",
  "skipped",
  "cancelled",
];

export function isTerminalPhase(phase: number): boolean {
  return phase >= SUCCEEDED;
}

export function isTerminalStatus(status: ExecutionStatus | "none"): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
