// Reads the markers of one process from its environment variables; Linux only.
//
//   PM1. A process whose main thread has ended shows no variables, although its other threads run. The variables are
//        then read from those threads. Depending on its version, Linux shows an empty file or fails with ESRCH.
//   PM2. A process in the middle of `exec` has no readable variables for a moment. That is not taken for a process
//        without markers.

import { MARKER_VARIABLE, OUTER_MARKERS_VARIABLE } from "./child-env.ts";
import { readProcFile, readProcFileSync, readProcFolder, readProcFolderSync } from "./proc-read.ts";
import { hasEndedMainThread, isDead, readStat, type ProcessStat } from "./process-stat.ts";

export type Markers = readonly string[];
/** The markers of one process, or why they are unknown. */
export type ProcessMarkers = Markers | "dead" | "unreadable";

const NONE: Markers = Object.freeze([]);
/** A process that may not be read belongs to another user and may not be killed either. */
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);
/** `kthreadd` is the parent of all kernel threads. */
const KTHREADD_PID = 2;

/** `folder` is another folder than `/proc` in tests. */
export async function readMarkers(pid: number, folder: string = "/proc"): Promise<ProcessMarkers> {
  try {
    const environ = await readProcFile(`${folder}/${pid}/environ`).catch(emptyIfEnded);
    return environ.length > 0 ? markersIn(environ) : await explainEmptyEnv(pid, folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (FORBIDDEN.has(code)) return NONE;
    return GONE.has(code) ? "dead" : "unreadable";
  }
}

/** The process or thread has exited, but may not be gone: the threads of a process can outlive its main thread (PM1). */
function emptyIfEnded(error: NodeJS.ErrnoException): Buffer {
  if (GONE.has(error.code)) return Buffer.alloc(0);
  throw error;
}

/** Kernel threads and dead processes have no environment variables, and some programs were started without any. */
async function explainEmptyEnv(pid: number, folder: string): Promise<ProcessMarkers> {
  const stat = await readStat(pid, folder);
  if (stat === undefined || isDead(stat)) return "dead";
  if (hasEndedMainThread(stat)) return readThreadMarkers(`${folder}/${pid}/task`);
  const isKernelThread = pid === KTHREADD_PID || stat.parent === KTHREADD_PID;
  return isKernelThread || (stat.hasNoEnv && !mayBeStarting(stat)) ? NONE : "unreadable";
}

/** During `exec` the variables look empty for a moment; a process in `exec` is running, not asleep. */
function mayBeStarting({ state }: ProcessStat): boolean {
  return state === "R" || state === "D";
}

/** PM1. All threads of a process have the same variables, so the first that shows any is enough. */
async function readThreadMarkers(tasks: string): Promise<ProcessMarkers> {
  for (const thread of await readProcFolder(tasks)) {
    const environ = await readProcFile(`${tasks}/${thread}/environ`).catch(emptyIfEnded);
    if (environ.length > 0) return markersIn(environ);
  }
  return "unreadable";
}

/** For a process that is about to exit. Markers that cannot be read count as none. */
export function readMarkersSync(pid: number, folder: string = "/proc"): Markers {
  const environ = readSync(`${folder}/${pid}/environ`);
  return markersIn(environ.length > 0 ? environ : readThreadEnvironSync(`${folder}/${pid}/task`));
}

function readThreadEnvironSync(tasks: string): Buffer {
  try {
    const environs = readProcFolderSync(tasks).map((thread) => readSync(`${tasks}/${thread}/environ`));
    return Buffer.concat(environs.filter((environ) => environ.length > 0).slice(0, 1));
  } catch {
    return Buffer.alloc(0);
  }
}

function readSync(path: string): Buffer {
  try {
    return readProcFileSync(path);
  } catch {
    // The process or thread is gone, or belongs to another user.
    return Buffer.alloc(0);
  }
}

export function markersIn(environ: Buffer): Markers {
  if (!environ.includes("SEGNO_")) return NONE;
  const variables = environ.toString("utf8").split("\0");
  return [MARKER_VARIABLE, OUTER_MARKERS_VARIABLE].flatMap((name) => {
    const variable = variables.find((each) => each.startsWith(`${name}=`));
    return variable === undefined ? NONE : variable.slice(name.length + 1).split("\n");
  });
}
