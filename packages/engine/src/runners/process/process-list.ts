// Lists the pids of this system from `/proc`. On systems other than Linux the list is empty, and callers rely on
// process groups and process records.

import { readProcFolder, readProcFolderSync } from "./proc-read.ts";

const BATCH = 16;

export async function listProcesses(): Promise<readonly number[]> {
  return process.platform === "linux" ? pidsIn(await readProcFolder("/proc")) : [];
}

export function listProcessesSync(): readonly number[] {
  try {
    return process.platform === "linux" ? pidsIn(readProcFolderSync("/proc")) : [];
  } catch {
    return [];
  }
}

function pidsIn(names: readonly string[]): readonly number[] {
  return names.map(Number).filter((pid) => Number.isInteger(pid));
}

/** Visits many processes, a few at a time, so that other file operations do not wait long. */
export async function inBatches(pids: readonly number[], visit: (pid: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < pids.length; start += BATCH)
    await Promise.all(pids.slice(start, start + BATCH).map((pid) => visit(pid)));
}
