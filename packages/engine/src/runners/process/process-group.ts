// The process group of a process tree. Child processes belong to it unless they leave it on purpose (`setsid`).
//
//   PG1. A group that was seen empty is never signalled again, because the system may have reused its id. While a
//        process is in the group, the id is not reused.
//   PG2. Zombies are not live members: a container whose init process does not reap is full of them. A process of which
//        only the main thread has ended is not a zombie, although it has that state (`process-stat.ts`).

import { inBatches, listProcesses } from "./process-list.ts";
import { isDead, readStat } from "./process-stat.ts";

const IS_WINDOWS = process.platform === "win32";

export class ProcessGroup {
  readonly leader: number;
  #wasSeenEmpty = false;

  constructor(leader: number) {
    this.leader = leader;
  }

  /** Signal 0 only checks whether the group exists. */
  signal(signal: NodeJS.Signals | 0): void {
    if (!this.#wasSeenEmpty && !trySignal(IS_WINDOWS ? this.leader : -this.leader, signal)) this.#wasSeenEmpty = true;
  }

  /** Whether no process is in the group, not even a zombie. */
  hasNoMembers(): boolean {
    this.signal(0);
    return this.#wasSeenEmpty;
  }

  /** Linux only. */
  async liveMembers(): Promise<readonly number[]> {
    const members: number[] = [];
    await inBatches(await listProcesses(), async (pid) => {
      const stat = await readStat(pid);
      if (stat?.group === this.leader && !isDead(stat)) members.push(pid);
    });
    return members;
  }

  /** PG2. */
  async hasLiveMembers(): Promise<boolean> {
    if (this.hasNoMembers() || process.platform !== "linux") return !this.#wasSeenEmpty;
    return (await this.liveMembers()).length > 0;
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
