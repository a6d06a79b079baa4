// The seconds after which a client should ask again for an execution (HTTP-2).

import type { ExecutionReport, StepReport } from "@segno/engine";
import { isTerminalStatus } from "@segno/kernel";

const RUNNING_S = 5;
const FAILED_S = 10;
const BACKOFF_MAX_S = 60;

/** Undefined if the execution has ended and did not fail: it will not change. */
export function retryAfter({ status, steps }: Pick<ExecutionReport, "status" | "steps">): number | undefined {
  if (status === "failed") return FAILED_S;
  if (isTerminalStatus(status)) return undefined;
  const backoff = steps.filter(isInBackoff).map(({ attempts }) => backoffSeconds(Math.max(0, attempts - 1)));
  return backoff.reduce((least, each) => Math.min(least, each), backoff[0] ?? RUNNING_S);
}

/** `attempt` counts from 0. */
function backoffSeconds(attempt: number): number {
  return Math.min(RUNNING_S * 2 ** attempt, BACKOFF_MAX_S);
}

function isInBackoff({ status }: StepReport): boolean {
  return status === "retrying";
}
