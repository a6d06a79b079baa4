// Ends what a command left running: its group, and whatever has its marker (CANCEL-2).
//
//   L1. Everything is told to end first (SIGTERM) and killed when it has not after the grace; at once where that is asked.
//   L2. It is over when a look that began after the last signal finds nothing: what is killed may just have forked.
//   L3. It is bounded. What the system itself cannot end, such as a process that waits for a dead disk, is reported.

import { pause } from "./pause.ts";
import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { readStat } from "./process-stat.ts";
import type { ProcessFinder } from "./process-finder.ts";

export interface RemainingProcesses {
  readonly group: ProcessGroup;
  readonly marker: string;
  readonly finder: ProcessFinder;
  readonly graceMs: number;
  /** Asked again and again: an attempt may be given up while it is being cleaned up. */
  readonly isForced: () => boolean;
  readonly report: (error: unknown) => void;
}

const PAUSE_FIRST_MS = 2;
const PAUSE_MAX_MS = 50;
/** How long to go on when what was killed does not go away. */
const GIVE_UP_AFTER_MS = 5000;

export async function terminateRemaining(left: RemainingProcesses): Promise<void> {
  const begunAt = performance.now();
  const told = new Set<number>();
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    const pids = await left.finder.find(left.marker);
    if (pids.length === 0 && !(await left.group.isAlive())) return;
    const takenMs = performance.now() - begunAt;
    if (takenMs > left.graceMs + GIVE_UP_AFTER_MS) break;
    if (left.isForced() || takenMs >= left.graceMs) killAll(left, pids);
    else await sendSigterm(left, pids, told);
    await pause(pauseMs);
  }
  left.report(new Error(`something that was started as ${left.marker} cannot be ended`));
}

function killAll({ group }: RemainingProcesses, pids: readonly number[]): void {
  group.signal("SIGKILL");
  for (const pid of pids) signalProcess(pid, "SIGKILL");
}

/** Each once: a second SIGTERM means to many programs that they should not clean up. */
async function sendSigterm({ group }: RemainingProcesses, pids: readonly number[], told: Set<number>): Promise<void> {
  const others = pids.filter((pid) => !told.has(pid));
  const groups = await Promise.all(others.map(async (pid) => (await readStat(pid))?.group));
  if (!told.has(group.leader)) group.signal("SIGTERM");
  told.add(group.leader);
  for (const [place, pid] of others.entries()) {
    if (groups[place] !== group.leader) signalProcess(pid, "SIGTERM");
    told.add(pid);
  }
}
