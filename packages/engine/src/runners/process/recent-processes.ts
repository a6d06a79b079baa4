// Tells cheaply, for most commands, that nothing which they started still runs: also nothing that left their group.
//
// Linux gives pids out in order and tells the last one. What a command started has a pid between the command's own and the
// last one, so only those few are looked at. The environment of each tells whether it belongs to the command.
//
//   P1. "Nothing" is said only when it is certain. Whatever is unclear is left to the scan, which looks at all processes: a
//       row of pids that began anew, too many pids, a process that shows no environment yet, a system that does not tell.
//   P2. A process that died while it was looked for may have started another. That one has a later pid, so the look goes on
//       until no pid was given out meanwhile.

import { existsSync, openSync, readFileSync, readSync } from "node:fs";
import { markersIn } from "./marker-scan.ts";

const LAST_PID_FILE = "/proc/sys/kernel/ns_last_pid";
const PIDS_MAX = 64;
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM"]);
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH"]);

export class RecentProcesses {
  readonly #buffer = Buffer.alloc(32);
  #file: number | undefined;
  #isUntold = process.platform !== "linux";

  /** Whether certainly nothing with this marker runs that was started after a process; `others` are not looked at. */
  isClear(pid: number, marker: string, others: ReadonlySet<number>): boolean {
    for (let from = pid, last = this.#lastPid(); ;) {
      if (last === undefined || last < pid || last - pid > PIDS_MAX) return false;
      for (let each = from + 1; each <= last; each++) if (!others.has(each) && mayBelongTo(each, marker)) return false;
      from = last;
      last = this.#lastPid();
      if (last === from) return true;
    }
  }

  /** The pid that was given out last. */
  #lastPid(): number | undefined {
    if (this.#isUntold) return undefined;
    try {
      // Open for good: opening costs more than reading.
      this.#file ??= openSync(LAST_PID_FILE, "r");
      const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
      return Number(this.#buffer.toString("latin1", 0, length));
    } catch {
      this.#isUntold = true;
      return undefined;
    }
  }
}

function mayBelongTo(pid: number, marker: string): boolean {
  const path = `/proc/${pid}/environ`;
  if (!existsSync(path)) return false;
  try {
    const environ = readFileSync(path);
    return environ.length === 0 || markersIn(environ).includes(marker);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return !FORBIDDEN.has(code) && !GONE.has(code);
  }
}
