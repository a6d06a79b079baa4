// Phases: where a step is, as the journal knows it.
//
// `ready` and `queued` are not among them. A waiting step with nothing left to wait for is ready, and a step that was
// asked admission for is queued; both follow from the rest and are never written (ARCHITECTURE).

/** STATE-2, with the two that are derived. */
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

/** STATE-1. */
export type ExecutionStatus =
  | "pending"
  | "validating"
  | "running"
  | "paused"
  | "parked"
  | "failing"
  | "cancelling"
  | "completed"
  | "failed"
  | "cancelled";

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

/** Names by code. */
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
