// Checks cheaply, for most process trees, that none of their processes runs, including those that left the group.
//
// Linux assigns pids in sequence and exposes the last one. Every other process of a tree has a pid between that
// of the main process and the last one, so only the environment variables of those few are read.
//
//   RP1. The answer is true only if it is certain. In all other cases the full scan decides: pids that wrapped around,
//        too many pids, a process that shows no environment variables yet, a system that does not expose the last pid.
//   RP2. A process that died during the check may have started another one. That one has a later pid, so the check
//        repeats until no new pid was assigned.

import { existsSync, openSync, readFileSync, readSync } from "node:fs";
import { markersIn } from "./process-markers.ts";
import { isDead, readStatSync } from "./process-stat.ts";

const LAST_PID_FILE = "/proc/sys/kernel/ns_last_pid";
const PIDS_MAX = 64;
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);

export class RecentProcesses {
  readonly #buffer = Buffer.alloc(32);
  #file: number | undefined;
  #isUnsupported = process.platform !== "linux";

  /**
   * True only if it is certain that no process with this marker was started after `pid` (RP1). The pids in
   * `skippedPids` belong to other process trees.
   */
  hasNoneSince(pid: number, marker: string, skippedPids: ReadonlySet<number>): boolean {
    for (let from = pid, last = this.#lastPid(); ;) {
      if (last === undefined || last < pid || last - pid > PIDS_MAX) return false;
      for (let each = from + 1; each <= last; each++)
        if (!skippedPids.has(each) && mayBelongTo(each, marker)) return false;
      from = last;
      last = this.#lastPid();
      if (last === from) return true;
    }
  }

  /** The last assigned pid. */
  #lastPid(): number | undefined {
    if (this.#isUnsupported) return undefined;
    try {
      // Stays open, because opening costs more than reading.
      this.#file ??= openSync(LAST_PID_FILE, "r");
      const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
      return Number(this.#buffer.toString("latin1", 0, length));
    } catch {
      this.#isUnsupported = true;
      return undefined;
    }
  }
}

function mayBelongTo(pid: number, marker: string): boolean {
  const path = `/proc/${pid}/environ`;
  if (!existsSync(path)) return false;
  try {
    const environ = readFileSync(path);
    return environ.length === 0 ? mayRun(pid) : markersIn(environ).includes(marker);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return !FORBIDDEN.has(code) && (!GONE.has(code) || mayRun(pid));
  }
}

/** A process without readable variables may be starting, or its main thread may have ended before the others. */
function mayRun(pid: number): boolean {
  const stat = readStatSync(pid);
  return stat !== undefined && !isDead(stat);
}
