// The process group of a command. Child processes belong to it unless they leave it on purpose (`setsid`).
//
//   G1. A group that was seen empty is never signalled again, because the system may have reused its id. While a
//       process is in the group, the id is not reused.
//   G2. Zombies do not count: a container whose init process does not reap is full of them.

import { inBatches, listProcesses } from "./process-list.ts";
import { isDead, readStat } from "./process-stat.ts";

const IS_WINDOWS = process.platform === "win32";

export class ProcessGroup {
  readonly leader: number;
  #isGone = false;

  constructor(leader: number) {
    this.leader = leader;
  }

  /** Signal 0 only checks whether the group exists. */
  signal(signal: NodeJS.Signals | 0): void {
    if (!this.#isGone && !trySignal(IS_WINDOWS ? this.leader : -this.leader, signal)) this.#isGone = true;
  }

  /** Whether the group is empty, zombies included. */
  isGone(): boolean {
    this.signal(0);
    return this.#isGone;
  }

  async isAlive(): Promise<boolean> {
    if (this.isGone() || process.platform !== "linux") return !this.#isGone;
    return hasMembers(this.leader);
  }
}

/** Never signals this process or pid 1. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  return pid > 1 && pid !== process.pid && trySignal(pid, signal);
}

/** Returns false if the target does not exist or may not be signalled. */
function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

async function hasMembers(group: number): Promise<boolean> {
  let isFound = false;
  await inBatches(await listProcesses(), async (pid) => {
    const stat = await readStat(pid);
    if (stat?.group === group && !isDead(stat)) isFound = true;
  });
  return isFound;
}
