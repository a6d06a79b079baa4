// Finds processes by the marker in their environment variables, however far they are from the command that started
// them: child processes inherit it. Exceptions are processes started with other variables on purpose
// (`env -i setsid …`) and programs that overwrite their variables to show a title.
//
// Listing all pids is fast; reading the variables of every process takes milliseconds. So the scan caches the pids of
// unmarked processes, which have no marker, and reads only the others. A pid that is missing in a list is removed from
// the cache.
//
//   MS1. The cache expires if it is not confirmed for a while, because the system may have reused a pid.
//   MS2. Only unmarked processes are cached. A marked process is read in every scan, because the caller may kill it.
//   MS3. A scan repeats while it may have missed a process. There are two reasons: a process in the middle of `exec`
//        has no readable variables for a moment (`process-markers.ts`), and a process that died between list and read
//        may have started another one that is not in the list. The newest processes are read first, because they are
//        the ones that a process which does that again and again has just started.
//   MS4. A scan is bounded. A process that stays unreadable for long, and in several passes, has no variables and counts
//        as unmarked. Time alone does not decide: on an overloaded system one pass may take that long. Deaths repeat a
//        scan a limited number of times, because on a busy system some process has always just died.

import { sleep } from "./sleep.ts";
import { inBatches, listProcesses, listProcessesSync } from "./process-list.ts";
import { readMarkers, type Markers, type ProcessMarkers } from "./process-markers.ts";

/** The result of one pass over all processes. */
interface ScanPass {
  readonly marked: Map<number, Markers>;
  readonly unmarked: Set<number>;
  readonly unreadable: Set<number>;
  /** Whether a process died that was not known to be unmarked. */
  hasDeaths: boolean;
}

/** The cache is valid for this time: the system assigns pids in sequence, so it does not reuse one that soon. */
const CACHED_MS = 1000;
/** How long `exec` may take on an overloaded system. */
const UNREADABLE_MS = 1000;
const UNREADABLE_PASSES = 10;
const UNREADABLE_SLEEP_MS = 1;
/** How often a scan repeats because processes died meanwhile. On a loaded machine one pass of two may miss a process. */
const PASSES_AFTER_DEATHS = 20;

export class MarkerScan {
  #unmarked: ReadonlySet<number> = new Set();
  #scannedAt = -Infinity;

  /** Caches all current processes as unmarked. Valid only while no command runs. */
  assumeAllUnmarked(): void {
    if (this.#isFresh()) return;
    this.#scannedAt = performance.now();
    this.#unmarked = new Set(listProcessesSync());
  }

  /** All processes with markers. */
  async scan(): Promise<ReadonlyMap<number, Markers>> {
    const startedAt = performance.now();
    for (let passes = 1; ; passes++) {
      const { marked, unmarked, unreadable, hasDeaths } = await this.#scanOnce();
      const mayRetry = passes < UNREADABLE_PASSES || performance.now() - startedAt < UNREADABLE_MS;
      if (!mayRetry) for (const pid of unreadable) unmarked.add(pid);
      this.#unmarked = unmarked;
      if (unreadable.size > 0 && mayRetry) await sleep(UNREADABLE_SLEEP_MS);
      else if (!hasDeaths || passes > PASSES_AFTER_DEATHS) return marked;
    }
  }

  async #scanOnce(): Promise<ScanPass> {
    const pass: ScanPass = { marked: new Map(), unmarked: new Set(), unreadable: new Set(), hasDeaths: false };
    // A pass of an overloaded system may take longer than the cache is valid (MS1).
    if (!this.#isFresh()) this.#unmarked = new Set();
    const scannedAt = performance.now();
    const pids = await listProcesses();
    const isKnown = (pid: number): boolean => this.#unmarked.has(pid);
    for (const pid of pids) if (isKnown(pid)) pass.unmarked.add(pid);
    await inBatches(pids.filter((pid) => !isKnown(pid)).toReversed(), async (pid) =>
      recordMarkers(pass, pid, await readMarkers(pid)),
    );
    this.#scannedAt = scannedAt;
    return pass;
  }

  #isFresh(): boolean {
    return performance.now() - this.#scannedAt < CACHED_MS;
  }
}

function recordMarkers(pass: ScanPass, pid: number, markers: ProcessMarkers): void {
  if (markers === "unreadable") pass.unreadable.add(pid);
  else if (markers === "dead" || markers.length === 0) pass.unmarked.add(pid);
  else pass.marked.set(pid, markers);
  if (markers === "dead") pass.hasDeaths = true;
}
