// Finds processes by their markers synchronously, for a process that is about to exit.

import { listProcessesSync } from "./process-list.ts";
import { readMarkersSync } from "./process-markers.ts";

export function markedProcessesSync(markers: ReadonlySet<string>): readonly number[] {
  return listProcessesSync().filter((pid) => pid !== process.pid && isMarked(pid, markers));
}

function isMarked(pid: number, markers: ReadonlySet<string>): boolean {
  return readMarkersSync(pid).some((marker) => markers.has(marker));
}
