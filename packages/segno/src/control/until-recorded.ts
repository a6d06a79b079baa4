import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

const POLL_MS = 50;

/** Resolves when a posted start has become an execution, through the owner of the journal or through this process. */
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
