// Terminates the processes of a tree: its group, and all processes with its marker (CANCEL-2).
//
//   RT1. All get SIGTERM first and SIGKILL after the grace period; SIGKILL at once if the attempt is force-stopped.
//   RT2. It is done when a scan that started after the last signal finds nothing, because a killed process may just
//        have forked.
//   RT3. It is bounded. A process that even SIGKILL does not terminate, such as one that waits for a dead disk, is
//        reported.

import { sleep } from "./sleep.ts";
import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { readStat } from "./process-stat.ts";
import type { ProcessFinder } from "./process-finder.ts";

export interface TerminationOptions {
  readonly group: ProcessGroup;
  readonly marker: string;
  readonly finder: ProcessFinder;
  readonly graceMs: number;
  /** The processes that got SIGTERM already; the pid of the leader stands for the group. */
  readonly signalled: Set<number>;
  /** Called repeatedly: the attempt may be force-stopped during the termination. */
  readonly isForceStopped: () => boolean;
  readonly report: (error: unknown) => void;
}

const SLEEP_FIRST_MS = 2;
const SLEEP_MAX_MS = 50;
/** How long to continue if killed processes do not disappear. */
const GIVE_UP_AFTER_MS = 5000;

export async function terminateRemaining(options: TerminationOptions): Promise<void> {
  const startedAt = performance.now();
  for (let sleepMs = SLEEP_FIRST_MS; ; sleepMs = Math.min(sleepMs * 2, SLEEP_MAX_MS)) {
    const pids = await options.finder.find(options.marker);
    if (pids.length === 0 && !(await options.group.hasLiveMembers())) return;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > options.graceMs + GIVE_UP_AFTER_MS) break;
    if (options.isForceStopped() || elapsedMs >= options.graceMs) killAll(options, pids);
    else await sendSigterm(options, pids);
    await sleep(sleepMs);
  }
  options.report(new Error(`a process with the marker ${options.marker} cannot be terminated`));
}

function killAll({ group }: TerminationOptions, pids: readonly number[]): void {
  group.signal("SIGKILL");
  for (const pid of pids) signalProcess(pid, "SIGKILL");
}

/** One SIGTERM per process: many programs skip their cleanup at the second one. */
async function sendSigterm({ group, signalled }: TerminationOptions, pids: readonly number[]): Promise<void> {
  const others = pids.filter((pid) => !signalled.has(pid));
  const groups = await Promise.all(others.map(async (pid) => (await readStat(pid))?.group));
  if (!signalled.has(group.leader)) group.signal("SIGTERM");
  signalled.add(group.leader);
  for (const [index, pid] of others.entries()) {
    // A process without a group is gone, and its pid may belong to another process soon.
    if (groups[index] !== undefined && groups[index] !== group.leader) signalProcess(pid, "SIGTERM");
    signalled.add(pid);
  }
}
