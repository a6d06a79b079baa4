// Finds processes by their markers synchronously, for a process that is about to exit.

import { readFileSync } from "node:fs";
import { markersIn } from "./marker-scan.ts";
import { listProcessesSync } from "./process-list.ts";

export function markedProcessesSync(markers: ReadonlySet<string>): readonly number[] {
  return listProcessesSync().filter((pid) => pid !== process.pid && isMarked(pid, markers));
}

function isMarked(pid: number, markers: ReadonlySet<string>): boolean {
  try {
    return markersIn(readFileSync(`/proc/${pid}/environ`)).some((marker) => markers.has(marker));
  } catch {
    // The process is gone or belongs to another user.
    return false;
  }
}
