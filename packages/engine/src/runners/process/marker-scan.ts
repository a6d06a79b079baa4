// Finds processes by the marker in their environment: however far a process got from the command that started it, its
// environment came along. Only one that was given another environment on purpose (`env -i setsid …`), or that writes over
// its own to show a title, is not found so.
//
// Reading the environment of every process takes milliseconds, listing them takes a fraction of one; so what was seen
// of a process is remembered as long as it is in every list.
//
//   M1. What is remembered is forgotten when it was not confirmed for a while: a pid may be somebody else's by then.
//   M2. What is remembered is good enough to leave a process alone, not to end it: whoever ends one reads it again.

import { readFile } from "node:fs/promises";
import { MARKER_VARIABLE, OUTER_MARKERS_VARIABLE } from "./child-environment.ts";
import { inBatches, listProcesses, listProcessesNow } from "./process-list.ts";
import { statOf } from "./process-stat.ts";

type Markers = readonly string[];

const NONE: Markers = Object.freeze([]);
/** Pids cannot come round within this time. */
const REMEMBERED_MS = 1000;
/**
 * What may not be read runs for somebody else, and may not be ended either. What has no memory is dead, or the kernel's
 * own; older kernels give an empty environment in place of an error.
 */
const WITHOUT_MARKERS: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "ESRCH"]);
/** The parent of everything that the kernel runs for itself. */
const KERNEL_THREADS = 2;

export class MarkerScan {
  #seen: ReadonlyMap<number, Markers> = new Map();
  #seenAt = -Infinity;

  /** What runs before the first command does not belong to any. Valid only while nothing is looked for. */
  takeAllForForeign(): void {
    if (this.#isFresh()) return;
    this.#seenAt = performance.now();
    this.#seen = new Map(listProcessesNow().map((pid) => [pid, NONE]));
  }

  /** All processes that have markers. */
  async look(): Promise<ReadonlyMap<number, Markers>> {
    const before = this.#isFresh() ? this.#seen : new Map<number, Markers>();
    const seenAt = performance.now();
    const seen = await lookAtAll(await listProcesses(), before);
    this.#seen = seen;
    this.#seenAt = seenAt;
    return new Map([...seen].filter(([, markers]) => markers.length > 0));
  }

  #isFresh(): boolean {
    return performance.now() - this.#seenAt < REMEMBERED_MS;
  }
}

async function lookAtAll(
  pids: readonly number[],
  before: ReadonlyMap<number, Markers>,
): Promise<ReadonlyMap<number, Markers>> {
  const seen = new Map<number, Markers>();
  const isNew = (pid: number): boolean => !before.has(pid);
  for (const pid of pids) if (!isNew(pid)) seen.set(pid, before.get(pid)!);
  await inBatches(pids.filter(isNew), async (pid) => {
    const markers = await markersOf(pid);
    if (markers !== undefined) seen.set(pid, markers);
  });
  return seen;
}

/** Nothing when that cannot be said now: it is gone, or just about to become another program. */
export async function markersOf(pid: number): Promise<Markers | undefined> {
  try {
    const environ = await readFile(`/proc/${pid}/environ`);
    return environ.length > 0 ? markersIn(environ) : await markersOfEmpty(pid);
  } catch (error) {
    return WITHOUT_MARKERS.has((error as NodeJS.ErrnoException).code) ? NONE : undefined;
  }
}

/** The kernel's own have no environment, and there are so many of them that it pays to know. */
async function markersOfEmpty(pid: number): Promise<Markers | undefined> {
  return pid === KERNEL_THREADS || (await statOf(pid))?.parent === KERNEL_THREADS ? NONE : undefined;
}

export function markersIn(environ: Buffer): Markers {
  if (!environ.includes("SEGNO_")) return NONE;
  const variables = environ.toString("utf8").split("\0");
  return [MARKER_VARIABLE, OUTER_MARKERS_VARIABLE].flatMap((name) => {
    const variable = variables.find((each) => each.startsWith(`${name}=`));
    return variable === undefined ? NONE : variable.slice(name.length + 1).split("\n");
  });
}
