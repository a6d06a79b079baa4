// When a process began, as its system tells it. With its pid it names one process of one boot: pids are used again, and
// ticks begin anew with every boot.

import { readFile } from "node:fs/promises";
import { isDead, readStat } from "./process-stat.ts";

let bootId: Promise<string> | undefined;

/** Empty where the system does not tell, or nothing runs under this pid. */
export async function readStartTime(pid: number): Promise<string> {
  const [boot, stat] = await Promise.all([(bootId ??= readBootId()), readStat(pid)]);
  return boot === "" || stat === undefined || isDead(stat) ? "" : `${boot}/${stat.startTicks}`;
}

async function readBootId(): Promise<string> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "latin1")).trim();
  } catch {
    return "";
  }
}
