import { vi } from "vitest";

/** Below the timeout of a test, so that the failed expectation is reported and not only a timeout. */
export const PATIENCE_MS = 100_000;

/** Waits until the check passes, on a machine of any speed: it waits for the condition, not for a time. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}
