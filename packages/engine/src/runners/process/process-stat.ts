// Reads `/proc/<pid>/stat`; Linux only.

import { readFile } from "node:fs/promises";

export interface ProcessStat {
  /** One letter; `Z` and `X` are dead and wait to be reaped. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** In clock ticks since boot. */
  readonly startTicks: string;
  /** Whether it was started without environment variables; false while `exec` has not set them up yet. */
  readonly hasNoEnv: boolean;
}

export async function readStat(pid: number): Promise<ProcessStat | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** The second field is the program name in parentheses, which may itself contain anything. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined) return undefined;
  const [envStart, envEnd = "0"] = fields.slice(47, 49);
  const hasNoEnv = envEnd !== "0" && envEnd === envStart;
  return { state, parent: Number(parent), group: Number(group), startTicks, hasNoEnv };
}

export function isDead({ state }: ProcessStat): boolean {
  return state === "Z" || state === "X";
}
