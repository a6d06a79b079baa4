import type { StepContext, StepReport } from "@segno/engine";
import { describe, expect, it } from "vitest";
import type { StepRuntime } from "../../src/steps/step-runtime.ts";
import { waitDelay } from "../../src/steps/wait-delay.ts";

/** The delay of a step that has waited for this time. */
async function delayAfter(waitedMs: number | undefined): Promise<number> {
  const startedAt = waitedMs === undefined ? undefined : Date.now() - waitedMs;
  const findStep = async (): Promise<StepReport> => ({ startedAt }) as StepReport;
  const context = { execution: { id: "x" }, step: { id: "land" } } as StepContext;
  return await waitDelay(5000, context, { host: { executions: { findStep } } } as unknown as StepRuntime);
}

describe("a step that waits", () => {
  it.each([
    [undefined, 5000],
    [0, 5000],
    [3_600_000, 60_000],
    [86_400_000, 60_000],
    [-3_600_000, 5000],
  ])("CODE-5 after %s ms looks again in %s ms", async (waitedMs, delayMs) => {
    expect(await delayAfter(waitedMs)).toBe(delayMs);
  });

  it("CODE-5 looks less often the longer it has waited", async () => {
    const delay = await delayAfter(200_000);
    expect(delay).toBeGreaterThanOrEqual(20_000);
    expect(delay).toBeLessThan(60_000);
  });
});
