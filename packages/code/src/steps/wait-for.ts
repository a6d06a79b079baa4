import { setTimeout as sleep } from "node:timers/promises";

/** Rejects with the reason of the signal when it aborts. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
