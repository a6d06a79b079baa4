// Kills the processes that a previous owner of a store left running. The new owner calls it before it starts anything,
// so that no step runs twice at the same time.
//
//   OR1. A process belongs to the store if its marker begins with the store's prefix, or if a process record with such
//        a marker has its pid and its start time. A pid alone is never trusted.
//   OR2. An engine that was started by a step of this store does not kill the processes of that step's attempt: it is
//        one of them.
//   OR3. A record with the marker of another store came with a copy of that store's file; its process is left alone.

import type { ProcessEntry, ProcessRecords } from "../../store/process-records.ts";
import { outerMarkers } from "./child-env.ts";
import { MarkerScan } from "./marker-scan.ts";
import { signalProcess } from "./process-group.ts";
import { readStartTime } from "./start-time.ts";
import { sleep } from "./sleep.ts";

const PASSES_MAX = 100;
const SLEEP_MS = 10;

/** All markers of a store begin with its prefix. Returns the number of processes killed. */
export async function killOrphans(records: ProcessRecords | undefined, prefix: string): Promise<number> {
  const entries = (await records?.processes()) ?? [];
  const ours = entries.filter(({ marker }) => marker.startsWith(prefix));
  const killed = new Set<number>();
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const pids = [...(await markedProcesses(prefix)), ...(await recordedProcesses(ours))];
    if (pids.length === 0) break;
    for (const pid of pids) signalProcess(pid, "SIGKILL");
    for (const pid of pids) killed.add(pid);
    await sleep(SLEEP_MS);
  }
  for (const { marker } of entries) await records?.forgetProcess(marker);
  return killed.size;
}

/** All processes with a marker that begins with the prefix. */
export async function markedProcesses(prefix: string): Promise<readonly number[]> {
  const outer = outerMarkers();
  const isOurs = (marker: string): boolean => marker.startsWith(prefix) && !outer.includes(marker);
  const marked = await new MarkerScan().scan();
  return [...marked].filter(([pid, markers]) => pid !== process.pid && markers.some(isOurs)).map(([pid]) => pid);
}

async function recordedProcesses(entries: readonly ProcessEntry[]): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const { pid, startTime } of entries)
    if (startTime !== "" && pid !== process.pid && (await readStartTime(pid)) === startTime) pids.push(pid);
  return pids;
}
