// Terminates the processes of a tree: its group, and all processes with its marker (CANCEL-2).
//
//   RT1. All get SIGTERM first and SIGKILL after the grace period; SIGKILL at once if the attempt is force-stopped. The
//        grace period begins with the first SIGTERM: on a busy system it takes long to find the processes.
//   RT2. It is done when a scan that started after the last signal finds nothing, because a killed process may just
//        have forked.
//   RT3. It is bounded. A process that even SIGKILL does not terminate, such as one that waits for a dead disk, is
//        reported (`killed-processes.ts`). A process that was found is signalled before anything is given up.

import { sleep } from "./sleep.ts";
import { KilledProcesses } from "./killed-processes.ts";
import { signalProcess, type ProcessGroup } from "./process-group.ts";
import { readStat } from "./process-stat.ts";
import type { ProcessFinder } from "./process-finder.ts";

export interface TerminationOptions {
  readonly group: Pick<ProcessGroup, "leader" | "signal" | "hasLiveMembers">;
  readonly marker: string;
  readonly finder: Pick<ProcessFinder, "find">;
  readonly graceMs: number;
  /** The processes that got SIGTERM already; the pid of the leader stands for the group. */
  readonly signalled: Set<number>;
  /** Called repeatedly: the attempt may be force-stopped during the termination. */
  readonly isForceStopped: () => boolean;
  readonly report: (error: unknown) => void;
}

/** `unkillable`: processes are left that SIGKILL does not terminate. */
export type TerminationResult = "gone" | "unkillable";

const SLEEP_FIRST_MS = 2;
const SLEEP_MAX_MS = 50;

export async function terminateTree(options: TerminationOptions): Promise<TerminationResult> {
  const killed = new KilledProcesses();
  let graceStartedAt: number | undefined;
  const isGraceOver = (): boolean =>
    graceStartedAt !== undefined && performance.now() - graceStartedAt >= options.graceMs;
  for (let sleepMs = SLEEP_FIRST_MS; ; sleepMs = Math.min(sleepMs * 2, SLEEP_MAX_MS)) {
    const pids = await remaining(options);
    if (pids.length === 0) return "gone";
    if (killed.shouldGiveUp(pids)) break;
    if (options.isForceStopped() || isGraceOver()) {
      options.group.signal("SIGKILL");
      killed.kill(pids);
    } else await sendSigterm(options, pids);
    graceStartedAt ??= performance.now();
    await sleep(sleepMs);
  }
  options.report(new Error(`a process with the marker ${options.marker} cannot be terminated`));
  return "unkillable";
}

/**
 * The pid of the leader stands for a group without marked processes; the system does not reuse it while the group exists.
 * The group is checked only if no process was found by its marker, because those that were found must not wait.
 */
export async function remaining({
  finder,
  marker,
  group,
}: Pick<TerminationOptions, "finder" | "marker" | "group">): Promise<readonly number[]> {
  const pids = await finder.find(marker);
  return pids.length === 0 && (await group.hasLiveMembers()) ? [group.leader] : pids;
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
