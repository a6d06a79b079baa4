import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

const POLL_MS = 50;

/** A start that was posted to another process is an execution when that one, or this one in its place, has taken it. */
export async function untilRecorded(engine: Engine, id: string): Promise<void> {
  for (;;) {
    try {
      await engine.get(id);
      return;
    } catch (error) {
      if (!(error instanceof SegnoError) || error.code !== "EXECUTION_UNKNOWN") throw error;
    }
    await new Promise((settle) => setTimeout(settle, POLL_MS));
  }
}
