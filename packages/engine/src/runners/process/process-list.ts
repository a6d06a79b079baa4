// Which processes there are on this system, by pid. Linux tells it in `/proc`; elsewhere the list is empty, and whoever
// uses it makes do with groups and with what was noted.

import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";

const BATCH = 16;

export async function listProcesses(): Promise<readonly number[]> {
  return process.platform === "linux" ? pidsIn(await readdir("/proc").catch(() => [])) : [];
}

export function listProcessesNow(): readonly number[] {
  try {
    return process.platform === "linux" ? pidsIn(readdirSync("/proc")) : [];
  } catch {
    return [];
  }
}

function pidsIn(names: readonly string[]): readonly number[] {
  return names.map(Number).filter((pid) => Number.isInteger(pid));
}

/** Looks at many processes, a few at a time, so that nobody else waits long for a file. */
export async function inBatches(pids: readonly number[], look: (pid: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < pids.length; start += BATCH)
    await Promise.all(pids.slice(start, start + BATCH).map((pid) => look(pid)));
}
