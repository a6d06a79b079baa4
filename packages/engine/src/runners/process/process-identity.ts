// The identity of a process in its record: its start time, and how many processes the system had started by then.
//
//   PI1. The start time identifies the process while it lives (`start-time.ts`).
//   PI2. The count identifies its group when the process itself is gone. The system gives out pids in turn, so it cannot have
//        used a pid again before it has started about as many processes as there are pids.

import { readProcFile } from "./proc-read.ts";
import { readStartTime } from "./start-time.ts";

/** Empty if the system does not tell the start time. */
export async function readIdentity(pid: number): Promise<string> {
  const [startTime, count] = await Promise.all([readStartTime(pid), readStartCount()]);
  return startTime === "" || count === undefined ? startTime : `${startTime} ${count}`;
}

/** PI1. */
export async function isRunning(pid: number, identity: string): Promise<boolean> {
  const [startTime = ""] = identity.split(" ");
  return startTime !== "" && (await readStartTime(pid)) === startTime;
}

/**
 * Whether a group with this id, if there is one, was led by the process, which has exited (PI2). A process that has the pid
 * now proves the contrary: the system does not reuse the id of a group that has members.
 */
export async function canOnlyBeItsGroup(pid: number, identity: string): Promise<boolean> {
  const [startTime = "", recorded] = identity.split(" ");
  const [ownTime, count, pidMax] = await Promise.all([readStartTime(process.pid), readStartCount(), readPidMax()]);
  if (recorded === undefined || count === undefined || pidMax === undefined) return false;
  const isSameBoot = startTime.split("/")[0] === ownTime.split("/")[0];
  // Half of the pids is a margin for those in use, which the system leaves out.
  return isSameBoot && count - Number(recorded) < pidMax / 2 && (await readStartTime(pid)) === "";
}

/** Processes and threads since boot. */
async function readStartCount(): Promise<number | undefined> {
  return await readNumber("/proc/stat", /^processes (\d+)$/mu);
}

async function readPidMax(): Promise<number | undefined> {
  return await readNumber("/proc/sys/kernel/pid_max", /^(\d+)/u);
}

async function readNumber(file: string, pattern: RegExp): Promise<number | undefined> {
  try {
    const found = pattern.exec((await readProcFile(file)).toString("latin1"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
