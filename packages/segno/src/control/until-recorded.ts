import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { pollFor } from "./poll-for.ts";

/** Resolves when a posted start has become an execution, through the owner of the journal or through this process. */
export async function untilRecorded(engine: Engine, id: string): Promise<void> {
  await pollFor(Infinity, async () => {
    try {
      return await engine.get(id);
    } catch (error) {
      if (error instanceof SegnoError && error.code === "EXECUTION_UNKNOWN") return undefined;
      throw error;
    }
  });
}
