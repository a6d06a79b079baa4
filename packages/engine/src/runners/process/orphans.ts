// Kills the processes that a previous owner of a store left running. The new owner calls it before it starts anything,
// so that no step runs twice at the same time.
//
//   OR1. A process belongs to the store if its marker begins with the store's prefix, or if a process record with such
//        a marker has its pid and its start time. A pid alone is never trusted. The group of a recorded process belongs
//        to the store as well, also after that process has exited: its members may have cleared or overwritten their
//        variables.
//   OR2. An engine that was started by a step of this store does not kill the processes of that step's attempt: it is
//        one of them.
//   OR3. A record with the marker of another store came with a copy of that store's file; its process is left alone.
//   OR4. Processes that SIGKILL does not terminate are reported (`killed-processes.ts`). The records of this store stay
//        then, for the next owner.

import type { ProcessEntry, ProcessRecords } from "../../store/process-records.ts";
import { outerMarkers } from "./child-env.ts";
import { KilledProcesses } from "./killed-processes.ts";
import { ProcessFinder } from "./process-finder.ts";
import { ProcessGroup } from "./process-group.ts";
import { canOnlyBeItsGroup, isRunning } from "./process-identity.ts";
import { sleep } from "./sleep.ts";

export interface OrphansOptions {
  readonly records: ProcessRecords | undefined;
  /** All markers of a store begin with its prefix. */
  readonly prefix: string;
  readonly report: (error: unknown) => void;
}

const SLEEP_MS = 10;

/** Returns the number of processes killed. */
export async function killOrphans({ records, prefix, report }: OrphansOptions): Promise<number> {
  const entries = (await records?.processes()) ?? [];
  const ours = entries.filter(({ marker }) => marker.startsWith(prefix));
  const killed = new KilledProcesses();
  const unkillable = await killAll(killed, prefix, ours);
  if (unkillable.length > 0)
    report(new Error(`processes of a previous owner of the store cannot be terminated: ${unkillable.join(", ")}`));
  for (const entry of entries)
    if (unkillable.length === 0 || !ours.includes(entry)) await records?.forgetProcess(entry.marker);
  return killed.size;
}

/** Returns the processes that SIGKILL does not terminate. */
async function killAll(
  killed: KilledProcesses,
  prefix: string,
  entries: readonly ProcessEntry[],
): Promise<readonly number[]> {
  const finder = new ProcessFinder();
  const trees = (await findRecorded(entries)).map((entry) => new RecordedTree(entry));
  for (;;) {
    const recorded = await Promise.all(trees.map((tree) => tree.remaining()));
    const pids = [...new Set([...(await markedProcesses(prefix, finder)), ...recorded.flat()])];
    if (pids.length === 0 || killed.shouldGiveUp(pids)) return pids;
    killed.kill(pids);
    await sleep(SLEEP_MS);
  }
}

/** Processes with a marker that begins with the prefix. A non-empty answer may be incomplete (PF3 in `process-finder.ts`). */
export function markedProcesses(
  prefix: string,
  finder: ProcessFinder = new ProcessFinder(),
): Promise<readonly number[]> {
  const outer = outerMarkers();
  return finder.search((marker) => marker.startsWith(prefix) && !outer.includes(marker));
}

/** Processes that run, and processes that have exited but whose group may still have members. */
async function findRecorded(entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  const outer = outerMarkers();
  const found: ProcessEntry[] = [];
  for (const entry of entries)
    if (!outer.includes(entry.marker) && entry.pid !== process.pid && (await isIdentified(entry))) found.push(entry);
  return found;
}

async function isIdentified({ pid, startTime }: ProcessEntry): Promise<boolean> {
  return (await isRunning(pid, startTime)) || (await canOnlyBeItsGroup(pid, startTime));
}

/** A recorded process and the other members of its group, which may outlive it. */
class RecordedTree {
  readonly #entry: ProcessEntry;
  readonly #group: ProcessGroup;

  constructor(entry: ProcessEntry) {
    this.#entry = entry;
    this.#group = new ProcessGroup(entry.pid);
  }

  /** The system does not reuse the id of a group that has members, so the group is still that of the process (PG1). */
  async remaining(): Promise<readonly number[]> {
    const members = this.#group.hasNoMembers() ? [] : await this.#group.liveMembers();
    const { pid, startTime } = this.#entry;
    return (await isRunning(pid, startTime)) ? [pid, ...members] : members;
  }
}
