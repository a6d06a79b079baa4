// Looks for processes by their markers without giving way to anything else, for a process that is about to end.

import { readFileSync } from "node:fs";
import { markersIn } from "./marker-scan.ts";
import { listProcessesNow } from "./process-list.ts";

export function markedProcessesNow(markers: ReadonlySet<string>): readonly number[] {
  return listProcessesNow().filter((pid) => pid !== process.pid && isMarked(pid, markers));
}

function isMarked(pid: number, markers: ReadonlySet<string>): boolean {
  try {
    return markersIn(readFileSync(`/proc/${pid}/environ`)).some((marker) => markers.has(marker));
  } catch {
    // It is gone, or somebody else's.
    return false;
  }
}
