// The start time of a process. With the pid it identifies one process of one boot: pids are reused, and ticks restart
// at boot.

import { readProcFile } from "./proc-read.ts";
import { isDead, readStat } from "./process-stat.ts";

let bootId: Promise<string> | undefined;

/** Empty if the system does not expose it, or if no process has this pid. */
export async function readStartTime(pid: number): Promise<string> {
  const [boot, stat] = await Promise.all([(bootId ??= readBootId()), readStat(pid)]);
  return boot === "" || stat === undefined || isDead(stat) ? "" : `${boot}/${stat.startTicks}`;
}

async function readBootId(): Promise<string> {
  try {
    return (await readProcFile("/proc/sys/kernel/random/boot_id")).toString("latin1").trim();
  } catch {
    return "";
  }
}
