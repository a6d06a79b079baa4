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
//        has no readable variables for a moment, and a process that died between list and read may have started another
//        one that is not in the list.
//   MS4. A scan is bounded. A process that stays unreadable for long has no variables and counts as unmarked.
//        Deaths repeat a scan only a few times, because on a busy system some process has always just died.

import { readFile } from "node:fs/promises";
import { MARKER_VARIABLE, OUTER_MARKERS_VARIABLE } from "./child-env.ts";
import { sleep } from "./sleep.ts";
import { inBatches, listProcesses, listProcessesSync } from "./process-list.ts";
import { isDead, readStat, type ProcessStat } from "./process-stat.ts";

type Markers = readonly string[];
/** The markers of one process, or why they are unknown. */
type ProcessMarkers = Markers | "dead" | "unreadable";

/** The result of one pass over all processes. */
interface ScanPass {
  readonly marked: Map<number, Markers>;
  readonly unmarked: Set<number>;
  readonly unreadable: Set<number>;
  /** Whether a process died that was not known to be unmarked. */
  hasDeaths: boolean;
}

const NONE: Markers = Object.freeze([]);
/** The cache is valid for this time: the system assigns pids in sequence, so it does not reuse one that soon. */
const CACHED_MS = 1000;
/** How long `exec` may take on an overloaded system. */
const UNREADABLE_MS = 1000;
const UNREADABLE_SLEEP_MS = 1;
/** How often a scan repeats because processes died meanwhile. */
const PASSES_AFTER_DEATHS = 3;
/** A process that may not be read belongs to another user and may not be killed either. */
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);
/** `kthreadd` is the parent of all kernel threads. */
const KTHREADD_PID = 2;

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
    if (!this.#isFresh()) this.#unmarked = new Set();
    const startedAt = performance.now();
    for (let passes = 1; ; passes++) {
      const { marked, unmarked, unreadable, hasDeaths } = await this.#scanOnce();
      const mayRetry = performance.now() - startedAt < UNREADABLE_MS;
      if (!mayRetry) for (const pid of unreadable) unmarked.add(pid);
      this.#unmarked = unmarked;
      if (unreadable.size > 0 && mayRetry) await sleep(UNREADABLE_SLEEP_MS);
      else if (!hasDeaths || passes > PASSES_AFTER_DEATHS) return marked;
    }
  }

  async #scanOnce(): Promise<ScanPass> {
    const pass: ScanPass = { marked: new Map(), unmarked: new Set(), unreadable: new Set(), hasDeaths: false };
    const scannedAt = performance.now();
    const pids = await listProcesses();
    const isKnown = (pid: number): boolean => this.#unmarked.has(pid);
    for (const pid of pids) if (isKnown(pid)) pass.unmarked.add(pid);
    await inBatches(
      pids.filter((pid) => !isKnown(pid)),
      async (pid) => recordMarkers(pass, pid, await readMarkers(pid)),
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

async function readMarkers(pid: number): Promise<ProcessMarkers> {
  try {
    const environ = await readFile(`/proc/${pid}/environ`);
    return environ.length > 0 ? markersIn(environ) : await explainEmptyEnv(pid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (FORBIDDEN.has(code)) return NONE;
    return GONE.has(code) ? "dead" : "unreadable";
  }
}

/** Kernel threads and dead processes have no environment variables, and some programs were started without any. */
async function explainEmptyEnv(pid: number): Promise<ProcessMarkers> {
  const stat = await readStat(pid);
  if (stat === undefined || isDead(stat)) return "dead";
  const isKernelThread = pid === KTHREADD_PID || stat.parent === KTHREADD_PID;
  return isKernelThread || (stat.hasNoEnv && !mayBeStarting(stat)) ? NONE : "unreadable";
}

/** During `exec` the variables look empty for a moment; a process in `exec` is running, not asleep. */
function mayBeStarting({ state }: ProcessStat): boolean {
  return state === "R" || state === "D";
}

export function markersIn(environ: Buffer): Markers {
  if (!environ.includes("SEGNO_")) return NONE;
  const variables = environ.toString("utf8").split("\0");
  return [MARKER_VARIABLE, OUTER_MARKERS_VARIABLE].flatMap((name) => {
    const variable = variables.find((each) => each.startsWith(`${name}=`));
    return variable === undefined ? NONE : variable.slice(name.length + 1).split("\n");
  });
}
