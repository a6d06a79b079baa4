// Finds processes by the marker in their environment, however far they are from the command that started them: child
// processes inherit it. Exceptions are processes started with another environment on purpose (`env -i setsid …`) and
// programs that overwrite their environment to show a title.
//
// Reading the environment of every process takes milliseconds, listing the pids a fraction of one. So a process that
// was seen without a marker is cached as foreign while every list contains it.
//
//   M1. The cache expires if it is not confirmed for a while, because the system may have reused a pid.
//   M2. Only foreign processes are cached. A marked process is read in every scan, because the caller may kill it.
//   M3. A scan reports that nothing is marked only if it has seen that. A process in the middle of `exec` shows no
//       environment for a moment, and a process that died between list and read may have started another one that the
//       list lacks; in both cases the scan repeats.
//   M4. A scan is bounded. A process that stays unclear for long has no environment, and on a busy system some process
//       has always just died.

import { readFile } from "node:fs/promises";
import { MARKER_VARIABLE, OUTER_MARKERS_VARIABLE } from "./child-environment.ts";
import { pause } from "./pause.ts";
import { inBatches, listProcesses, listProcessesNow } from "./process-list.ts";
import { isDead, readStat, type ProcessStat } from "./process-stat.ts";

type Markers = readonly string[];
/** The markers of one process, or why they are unknown. */
type ScanResult = Markers | "dead" | "unclear";

/** The result of one pass over all processes. */
interface ScanPass {
  readonly marked: Map<number, Markers>;
  readonly foreign: Set<number>;
  readonly unclear: Set<number>;
  /** Whether a process died that was not known to be foreign. */
  hasDeaths: boolean;
}

const NONE: Markers = Object.freeze([]);
/** The system does not reuse a pid within this time. */
const CACHED_MS = 1000;
/** How long `exec` may take on an overloaded system. */
const UNCLEAR_MS = 1000;
const UNCLEAR_PAUSE_MS = 1;
/** How often a scan repeats because processes died meanwhile. */
const PASSES_AFTER_DEATHS = 3;
/** A process that may not be read belongs to another user and may not be killed either. */
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);
/** The pid of `kthreadd`, the parent of all kernel threads. */
const KERNEL_THREADS = 2;

export class MarkerScan {
  #foreign: ReadonlySet<number> = new Set();
  #scannedAt = -Infinity;

  /** Caches all current processes as foreign. Valid only while no command runs. */
  assumeAllForeign(): void {
    if (this.#isFresh()) return;
    this.#scannedAt = performance.now();
    this.#foreign = new Set(listProcessesNow());
  }

  /** All processes with markers. */
  async scan(): Promise<ReadonlyMap<number, Markers>> {
    if (!this.#isFresh()) this.#foreign = new Set();
    const startedAt = performance.now();
    for (let passes = 1; ; passes++) {
      const { marked, foreign, unclear, hasDeaths } = await this.#scanOnce();
      const mayRetry = performance.now() - startedAt < UNCLEAR_MS;
      if (!mayRetry) for (const pid of unclear) foreign.add(pid);
      this.#foreign = foreign;
      if (unclear.size > 0 && mayRetry) await pause(UNCLEAR_PAUSE_MS);
      else if (!hasDeaths || passes > PASSES_AFTER_DEATHS) return marked;
    }
  }

  async #scanOnce(): Promise<ScanPass> {
    const pass: ScanPass = { marked: new Map(), foreign: new Set(), unclear: new Set(), hasDeaths: false };
    const scannedAt = performance.now();
    const pids = await listProcesses();
    const isKnown = (pid: number): boolean => this.#foreign.has(pid);
    for (const pid of pids) if (isKnown(pid)) pass.foreign.add(pid);
    await inBatches(
      pids.filter((pid) => !isKnown(pid)),
      async (pid) => recordResult(pass, pid, await readMarkers(pid)),
    );
    this.#scannedAt = scannedAt;
    return pass;
  }

  #isFresh(): boolean {
    return performance.now() - this.#scannedAt < CACHED_MS;
  }
}

function recordResult(pass: ScanPass, pid: number, result: ScanResult): void {
  if (result === "unclear") pass.unclear.add(pid);
  else if (result === "dead" || result.length === 0) pass.foreign.add(pid);
  else pass.marked.set(pid, result);
  if (result === "dead") pass.hasDeaths = true;
}

async function readMarkers(pid: number): Promise<ScanResult> {
  try {
    const environ = await readFile(`/proc/${pid}/environ`);
    return environ.length > 0 ? markersIn(environ) : await emptyScanResult(pid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (FORBIDDEN.has(code)) return NONE;
    return GONE.has(code) ? "dead" : "unclear";
  }
}

/** Kernel threads and dead processes have no environment, and some programs were started without one. */
async function emptyScanResult(pid: number): Promise<ScanResult> {
  const stat = await readStat(pid);
  if (stat === undefined || isDead(stat)) return "dead";
  const isKernelThread = pid === KERNEL_THREADS || stat.parent === KERNEL_THREADS;
  return isKernelThread || (stat.hasNoEnvironment && !mayBeStarting(stat)) ? NONE : "unclear";
}

/** During `exec` the environment looks empty for a moment; a process in `exec` is running, not asleep. */
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
