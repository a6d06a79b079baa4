// The process group of a command: what it starts belongs to it, unless it takes care not to (`setsid`).
//
//   G1. A group that was seen to be empty is never signalled again: its number may be somebody else's by now. As long as
//       anything is in it, the system does not give its number away.
//   G2. Processes that are dead and were not collected by their parent do not count; a container whose first process
//       collects nobody is full of them.

import { inBatches, listProcesses } from "./process-list.ts";
import { isDead, readStat } from "./process-stat.ts";

const IS_WINDOWS = process.platform === "win32";

export class ProcessGroup {
  readonly leader: number;
  #isGone = false;

  constructor(leader: number) {
    this.leader = leader;
  }

  /** With 0 it only looks whether anything is there. */
  signal(signal: NodeJS.Signals | 0): void {
    if (!this.#isGone && !trySignal(IS_WINDOWS ? this.leader : -this.leader, signal)) this.#isGone = true;
  }

  /** Whether nothing is in it, not even a process that nobody has collected yet. */
  isGone(): boolean {
    this.signal(0);
    return this.#isGone;
  }

  async isAlive(): Promise<boolean> {
    if (this.isGone() || process.platform !== "linux") return !this.#isGone;
    return hasMembers(this.leader);
  }
}

/** Never this process itself, nor the system's first. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  return pid > 1 && pid !== process.pid && trySignal(pid, signal);
}

/** False when there is nobody, or nobody whom this process may signal. */
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
