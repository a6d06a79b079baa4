// The identity of a process in its record: its start time, how many processes the system had started by then, and the
// namespace of its pid.
//
//   PI1. The start time identifies the process while it lives (`start-time.ts`).
//   PI2. Count and namespace identify its group when the process itself is gone. A namespace gives out pids in turn, so it
//        cannot have used a pid again before it has started about as many processes as there are pids. The start time of
//        process 1 stands for the namespace: a container that starts again has the boot of its host, but another process 1.
//   PI3. A process that has exited has no start time. Its group can be recorded as long as it has members.

import { readProcFile } from "./proc-read.ts";
import { readStartTime } from "./start-time.ts";

/** Empty if the system tells neither start times nor counts. */
export async function readIdentity(pid: number): Promise<string> {
  const [startTime, count, first] = await Promise.all([readStartTime(pid), readStartCount(), readStartTime(FIRST_PID)]);
  return count === undefined || first === "" ? startTime : `${startTime} ${count} ${first}`;
}

/** The process that a namespace of pids begins and ends with. */
const FIRST_PID = 1;

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
  const [, recorded, recordedFirst] = identity.split(" ");
  const [first, count, pidMax] = await Promise.all([readStartTime(FIRST_PID), readStartCount(), readPidMax()]);
  if (recordedFirst === undefined || first === "" || count === undefined || pidMax === undefined) return false;
  const started = count - Number(recorded);
  // Half of the pids is a margin for those in use, which the system leaves out.
  const isUnused = started >= 0 && started < pidMax / 2;
  return recordedFirst === first && isUnused && (await readStartTime(pid)) === "";
}

/** Processes and threads since boot. A system that does not count them says 0. */
async function readStartCount(): Promise<number | undefined> {
  const count = await readNumber("/proc/stat", /^processes (\d+)$/mu);
  return count === 0 ? undefined : count;
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
