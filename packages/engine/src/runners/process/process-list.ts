// Lists the pids of this system from `/proc`. On systems other than Linux the list is empty, and callers rely on
// process groups and process records.

import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { sleep } from "./sleep.ts";

const BATCH = 16;
/** If no file descriptor is free, the list cannot be read for a moment; that must not look like an empty system. */
const TRIES = 100;
const TRY_AGAIN_MS = 10;

export async function listProcesses(): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  for (let tries = 1; tries < TRIES; tries++) {
    const names = await readdir("/proc").catch(() => undefined);
    if (names !== undefined) return pidsIn(names);
    await sleep(TRY_AGAIN_MS);
  }
  return [];
}

export function listProcessesSync(): readonly number[] {
  try {
    return process.platform === "linux" ? pidsIn(readdirSync("/proc")) : [];
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
