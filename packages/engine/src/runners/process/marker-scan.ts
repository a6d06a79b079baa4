// Finds processes by the marker in their environment variables, however far they are from the main process of their
// process tree: child processes inherit it. Exceptions are processes started with other variables on purpose
// (`env -i setsid …`) and programs that overwrite their variables to show a title.
//
// A scan consists of passes over all processes. It is the caller who decides how many passes it needs
// (`process-search.ts`).
//
// Listing all pids is fast; reading the variables of every process takes milliseconds. So the scan caches the pids of
// unmarked processes, which have no marker, and reads only the others. A pid that is missing in a list is removed from
// the cache.
//
//   MS1. The cache expires if it is not confirmed for a while, because the system may have reused a pid.
//   MS2. Only unmarked processes are cached. A marked process is read in every pass, because the caller may kill it.
//   MS3. A pass says whether it may have missed a process. There are two reasons: a process in the middle of `exec` has
//        no readable variables for a moment (`process-markers.ts`), and a process that died between list and read may
//        have started another one that is not in the list. The newest processes are read first: a program that
//        keeps starting a successor and dying is then usually read before it dies.
//   MS4. A process that stays unreadable for long, and in several passes, has no variables and counts as unmarked. Time
//        alone does not decide: on an overloaded system one pass may take that long.

import { inBatches, listProcesses, listProcessesSync } from "./process-list.ts";
import { readMarkers, type Markers, type ProcessMarkers } from "./process-markers.ts";

/** The result of one pass over all processes. */
export interface ScanPass {
  readonly marked: ReadonlyMap<number, Markers>;
  /** Whether the markers of some process are unknown, because it has no readable variables at the moment. */
  readonly hasUnreadable: boolean;
  /** Whether a process died that was not known to be unmarked. */
  readonly hasDeaths: boolean;
}

/** The processes that a pass has read so far. */
interface PassReadings {
  readonly marked: Map<number, Markers>;
  readonly unmarked: Set<number>;
  readonly unreadable: Set<number>;
  hasDeaths: boolean;
}

/** How long a process has been unreadable without a break. */
interface UnreadableProcess {
  readonly since: number;
  readonly passes: number;
}

/** The cache is valid for this time: the system assigns pids in sequence, so it does not reuse one that soon. */
const CACHED_MS = 1000;
/** How long `exec` may take on an overloaded system. */
export const UNREADABLE_MS = 1000;
export const UNREADABLE_PASSES = 10;

export class MarkerScan {
  #unmarked: ReadonlySet<number> = new Set();
  #unreadable: ReadonlyMap<number, UnreadableProcess> = new Map();
  #scannedAt = -Infinity;
  #endedAt = -Infinity;

  /** Caches all current processes as unmarked. Valid only while no process tree runs. */
  assumeAllUnmarked(): void {
    if (isRecent(this.#scannedAt)) return;
    this.#scannedAt = performance.now();
    this.#unmarked = new Set(listProcessesSync());
  }

  /** One pass over all processes. A second one may begin only after the first has ended. */
  async pass(): Promise<ScanPass> {
    // A pass of an overloaded system may take longer than the cache is valid (MS1).
    if (!isRecent(this.#scannedAt)) this.#unmarked = new Set();
    if (!isRecent(this.#endedAt)) this.#unreadable = new Map();
    this.#scannedAt = performance.now();
    const readings = await this.#read(await listProcesses());
    this.#endedAt = performance.now();
    this.#judgeUnreadable(readings);
    this.#unmarked = readings.unmarked;
    return { marked: readings.marked, hasUnreadable: this.#unreadable.size > 0, hasDeaths: readings.hasDeaths };
  }

  async #read(pids: readonly number[]): Promise<PassReadings> {
    const readings: PassReadings = { marked: new Map(), unmarked: new Set(), unreadable: new Set(), hasDeaths: false };
    const isKnown = (pid: number): boolean => this.#unmarked.has(pid);
    for (const pid of pids) if (isKnown(pid)) readings.unmarked.add(pid);
    // The process trees that are sought never include this process.
    readings.unmarked.add(process.pid);
    await inBatches(pids.filter((pid) => !isKnown(pid) && pid !== process.pid).toReversed(), async (pid) =>
      recordMarkers(readings, pid, await readMarkers(pid)),
    );
    return readings;
  }

  /** MS4. */
  #judgeUnreadable({ unreadable, unmarked }: PassReadings): void {
    const still = new Map<number, UnreadableProcess>();
    for (const pid of unreadable) {
      const { since, passes } = this.#unreadable.get(pid) ?? { since: this.#scannedAt, passes: 0 };
      const isLong = passes + 1 >= UNREADABLE_PASSES && this.#endedAt - since >= UNREADABLE_MS;
      if (isLong) unmarked.add(pid);
      else still.set(pid, { since, passes: passes + 1 });
    }
    this.#unreadable = still;
  }
}

function isRecent(time: number): boolean {
  return performance.now() - time < CACHED_MS;
}

function recordMarkers(readings: PassReadings, pid: number, markers: ProcessMarkers): void {
  if (markers === "unreadable") readings.unreadable.add(pid);
  else if (markers === "dead" || markers.length === 0) readings.unmarked.add(pid);
  else readings.marked.set(pid, markers);
  if (markers === "dead") readings.hasDeaths = true;
}
