// Ends what a former owner of a store left running. Called by the new owner before it starts anything, so that no step
// runs twice at the same time.
//
//   O1. A process belongs to the store when its marker does, or when it was noted under such a marker and began when the
//       note says: a pid alone is never trusted.
//   O2. A Segno that was itself started by a step of this store spares the attempt that it runs in.
//   O3. A note under the marker of another store came with a copy of that store's file. Its process is left alone.

import type { ProcessEntry, ProcessTable } from "../../store/process-table.ts";
import { outerMarkers } from "./child-environment.ts";
import { MarkerScan } from "./marker-scan.ts";
import { signalProcess } from "./process-group.ts";
import { readStartTime } from "./start-time.ts";
import { pause } from "./pause.ts";

const ROUNDS_MAX = 100;
const PAUSE_MS = 10;

/** The markers of a store all begin with its prefix. Gives back how many processes were ended. */
export async function endOrphans(table: ProcessTable | undefined, prefix: string): Promise<number> {
  const entries = (await table?.processes()) ?? [];
  const ours = entries.filter(({ marker }) => marker.startsWith(prefix));
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = [...(await markedProcesses(prefix)), ...(await notedProcesses(ours))];
    if (pids.length === 0) break;
    for (const pid of pids) signalProcess(pid, "SIGKILL");
    for (const pid of pids) ended.add(pid);
    await pause(PAUSE_MS);
  }
  for (const { marker } of entries) await table?.forgetProcess(marker);
  return ended.size;
}

/** All processes whose markers begin so. */
export async function markedProcesses(prefix: string): Promise<readonly number[]> {
  const outer = outerMarkers();
  const isOurs = (marker: string): boolean => marker.startsWith(prefix) && !outer.includes(marker);
  const marked = await new MarkerScan().scan();
  return [...marked].filter(([pid, markers]) => pid !== process.pid && markers.some(isOurs)).map(([pid]) => pid);
}

async function notedProcesses(entries: readonly ProcessEntry[]): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const { pid, startTime } of entries)
    if (startTime !== "" && pid !== process.pid && (await readStartTime(pid)) === startTime) pids.push(pid);
  return pids;
}
