// Finds processes by the marker in their environment: however far a process got from the command that started it, its
// environment came along. Only one that was given another environment on purpose (`env -i setsid …`), or that writes over
// its own to show a title, is not found so.
//
// Reading the environment of every process takes milliseconds, listing them takes a fraction of one; so a process that
// was seen to have no marker is left alone as long as it is in every list.
//
//   M1. What is remembered is forgotten when it was not confirmed for a while: a pid may be somebody else's by then.
//   M2. Only that a process has no marker is remembered. One that has is read in every look: whoever asks may end it.
//   M3. "Nothing" is said only when that was seen. A process that is just becoming another program shows no environment
//       for a moment, and one that died between the list and the reading may have started another that is not in the
//       list; then the look goes on.
//   M4. A look ends. What stays unclear for long has no environment, and a busy system always has some that just died.

import { readFile } from "node:fs/promises";
import { MARKER_VARIABLE, OUTER_MARKERS_VARIABLE } from "./child-environment.ts";
import { pause } from "./pause.ts";
import { inBatches, listProcesses, listProcessesNow } from "./process-list.ts";
import { isDead, readStat, type ProcessStat } from "./process-stat.ts";

type Markers = readonly string[];
/** What one reading tells of a process. */
type ScanResult = Markers | "dead" | "unclear";

/** What one round of a look met beside the processes with markers. */
interface ScanPass {
  readonly marked: Map<number, Markers>;
  readonly foreign: Set<number>;
  readonly unclear: Set<number>;
  /** Whether one died that was not known to be somebody else's. */
  hasDeaths: boolean;
}

const NONE: Markers = Object.freeze([]);
/** Pids cannot come round within this time. */
const REMEMBERED_MS = 1000;
/** How long a process may take to become another program, on a system where everything waits. */
const UNCLEAR_MS = 1000;
const UNCLEAR_PAUSE_MS = 1;
/** How often the list is made again because of those that died meanwhile. */
const PASSES_AFTER_DEATHS = 3;
/** What may not be read runs for somebody else, and may not be ended either. */
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);
/** The parent of everything that the kernel runs for itself. */
const KERNEL_THREADS = 2;

export class MarkerScan {
  #foreign: ReadonlySet<number> = new Set();
  #seenAt = -Infinity;

  /** What runs before the first command does not belong to any. Valid only while nothing is looked for. */
  assumeAllForeign(): void {
    if (this.#isFresh()) return;
    this.#seenAt = performance.now();
    this.#foreign = new Set(listProcessesNow());
  }

  /** All processes that have markers. */
  async scan(): Promise<ReadonlyMap<number, Markers>> {
    if (!this.#isFresh()) this.#foreign = new Set();
    const begunAt = performance.now();
    for (let rounds = 1; ; rounds++) {
      const { marked, foreign, unclear, hasDeaths } = await this.#scanOnce();
      const isPatient = performance.now() - begunAt < UNCLEAR_MS;
      if (!isPatient) for (const pid of unclear) foreign.add(pid);
      this.#foreign = foreign;
      if (unclear.size > 0 && isPatient) await pause(UNCLEAR_PAUSE_MS);
      else if (!hasDeaths || rounds > PASSES_AFTER_DEATHS) return marked;
    }
  }

  async #scanOnce(): Promise<ScanPass> {
    const round: ScanPass = { marked: new Map(), foreign: new Set(), unclear: new Set(), hasDeaths: false };
    const seenAt = performance.now();
    const pids = await listProcesses();
    const isKnown = (pid: number): boolean => this.#foreign.has(pid);
    for (const pid of pids) if (isKnown(pid)) round.foreign.add(pid);
    await inBatches(
      pids.filter((pid) => !isKnown(pid)),
      async (pid) => enter(round, pid, await readMarkers(pid)),
    );
    this.#seenAt = seenAt;
    return round;
  }

  #isFresh(): boolean {
    return performance.now() - this.#seenAt < REMEMBERED_MS;
  }
}

function enter(round: ScanPass, pid: number, visibleTasks: ScanResult): void {
  if (visibleTasks === "unclear") round.unclear.add(pid);
  else if (visibleTasks === "dead" || visibleTasks.length === 0) round.foreign.add(pid);
  else round.marked.set(pid, visibleTasks);
  if (visibleTasks === "dead") round.hasDeaths = true;
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

/** The kernel's own have no environment, the dead no longer, and some programs were started without one. */
async function emptyScanResult(pid: number): Promise<ScanResult> {
  const stat = await readStat(pid);
  if (stat === undefined || isDead(stat)) return "dead";
  const isKernels = pid === KERNEL_THREADS || stat.parent === KERNEL_THREADS;
  return isKernels || (stat.hasNoEnvironment && !mayBeStarting(stat)) ? NONE : "unclear";
}

/** While a program is put in place its environment ends where it begins for a moment; who does that is at work, not asleep. */
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
