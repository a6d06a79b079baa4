// Which processes there are on this system, by pid. Linux tells it in `/proc`; elsewhere the list is empty, and whoever
// uses it makes do with groups and with what was noted.

import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { pause } from "./pause.ts";

const BATCH = 16;
/** Without a free file handle the list cannot be read for a moment; that is not a system on which nothing runs. */
const TRIES = 100;
const TRY_AGAIN_MS = 10;

export async function listProcesses(): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  for (let tries = 1; tries < TRIES; tries++) {
    const names = await readdir("/proc").catch(() => undefined);
    if (names !== undefined) return pidsIn(names);
    await pause(TRY_AGAIN_MS);
  }
  return [];
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
