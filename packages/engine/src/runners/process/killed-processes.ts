// The processes that got SIGKILL in the course of a termination, and whether they end.
//
//   KP1. A process is given up only if it got SIGKILL several times, each time after a search that found it again, and
//        the first time is some seconds ago. Time alone does not decide: on an overloaded system one search may take
//        that long, and a killed process ends only when the system lets it run.
//   KP2. New processes are killed as long as some are found, but not for ever: programs that start new ones faster than
//        those can be killed are given up too. All that were found have got SIGKILL by then.

import { signalProcess } from "./process-group.ts";

interface Kill {
  readonly firstAt: number;
  readonly times: number;
}

const UNKILLABLE_MS = 5000;
const UNKILLABLE_TIMES = 10;
const REPLACED_MS = 60_000;
const REPLACED_TIMES = 100;

export class KilledProcesses {
  readonly #kills = new Map<number, Kill>();
  #rounds: Kill | undefined;

  /** The number of processes that got SIGKILL. */
  get size(): number {
    return this.#kills.size;
  }

  /** Sends SIGKILL to processes that a search has found. */
  kill(pids: readonly number[]): void {
    for (const pid of pids) signalProcess(pid, "SIGKILL");
    this.#rounds = countKill(this.#rounds);
    for (const pid of pids) this.#kills.set(pid, countKill(this.#kills.get(pid)));
  }

  /** Whether to give up processes that a search has found after the last SIGKILL. */
  doNotEnd(pids: readonly number[]): boolean {
    if (pids.every((pid) => isOver(this.#kills.get(pid), UNKILLABLE_MS, UNKILLABLE_TIMES))) return true;
    return isOver(this.#rounds, REPLACED_MS, REPLACED_TIMES);
  }
}

function countKill(kill: Kill | undefined): Kill {
  return { firstAt: kill?.firstAt ?? performance.now(), times: (kill?.times ?? 0) + 1 };
}

function isOver(kill: Kill | undefined, ms: number, times: number): boolean {
  return kill !== undefined && kill.times >= times && performance.now() - kill.firstAt >= ms;
}
