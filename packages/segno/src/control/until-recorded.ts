import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { pollFor } from "./poll-for.ts";

/** A start that was posted to another process is an execution when that one, or this one in its place, has taken it. */
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
