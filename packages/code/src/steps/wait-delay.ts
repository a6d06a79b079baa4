import type { StepContext } from "@segno/engine";
import type { StepRuntime } from "./step-runtime.ts";

const DELAY_MAX_MS = 60_000;

/**
 * The delay before a step looks again at what it waits for. It grows with the time that the step has waited, so a wait of days
 * costs few requests and little of the journal.
 */
export async function waitDelay(
  minMs: number,
  { execution, step }: StepContext,
  { host }: StepRuntime,
): Promise<number> {
  const now = Date.now();
  const { startedAt = now } = (await host.executions.findStep(execution.id, step.id)) ?? {};
  return Math.max(minMs, Math.min((now - startedAt) / 10, DELAY_MAX_MS));
}
