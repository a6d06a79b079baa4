// Why nothing can be asked of an execution here.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Arrival } from "./recovery/loader.ts";

export function engineClosed(): SegnoError {
  return new SegnoError("ENGINE_CLOSED", "the engine is closed");
}

export function notHere(id: ExecutionId, arrival: Exclude<Arrival, "here">): SegnoError {
  return arrival === "unknown"
    ? new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`)
    : new SegnoError("STORE_CORRUPT", `the execution ${id} was set aside; \`verify\` says why`);
}
