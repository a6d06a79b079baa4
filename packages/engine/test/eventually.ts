import { vi } from "vitest";

/** Below the limit of a test, so that what was expected is told and not only that it took too long. */
export const PATIENCE_MS = 100_000;

/** Waits until the check passes, however slow the machine is: what is waited for is the condition, not a time. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}
