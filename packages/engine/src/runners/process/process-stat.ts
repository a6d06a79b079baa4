// Reads `/proc/<pid>/stat`; Linux only.

import { readProcFile, readProcFileSync } from "./proc-read.ts";

export interface ProcessStat {
  /** One letter, of the main thread. `Z` and `X`: it has exited. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** The number of threads; a main thread that has ended counts until the process is reaped. */
  readonly threads: number;
  /** In clock ticks since boot. */
  readonly startTicks: string;
  /** Whether it was started without environment variables; false while `exec` has not set them up yet. */
  readonly hasNoEnv: boolean;
}

/** `folder` is another folder than `/proc` in tests. */
export async function readStat(pid: number, folder: string = "/proc"): Promise<ProcessStat | undefined> {
  try {
    return parseStat((await readProcFile(`${folder}/${pid}/stat`)).toString("latin1"));
  } catch {
    return undefined;
  }
}

export function readStatSync(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readProcFileSync(`/proc/${pid}/stat`).toString("latin1"));
  } catch {
    return undefined;
  }
}

/** The second field is the program name in parentheses, which may itself contain anything. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const [threads, startTicks] = [fields[17], fields[19]];
  if (state === undefined || startTicks === undefined) return undefined;
  const [envStart, envEnd = "0"] = fields.slice(47, 49);
  const hasNoEnv = envEnd !== "0" && envEnd === envStart;
  return { state, parent: Number(parent), group: Number(group), threads: Number(threads), startTicks, hasNoEnv };
}

/** Whether nothing of the process runs any more; it may wait to be reaped. */
export function isDead(stat: ProcessStat): boolean {
  return hasEnded(stat) && !hasEndedMainThread(stat);
}

/** Whether the main thread has ended (`pthread_exit`) and other threads still run. Such a process looks like a zombie. */
export function hasEndedMainThread(stat: ProcessStat): boolean {
  return hasEnded(stat) && stat.threads > 1;
}

function hasEnded({ state }: ProcessStat): boolean {
  return state === "Z" || state === "X";
}
