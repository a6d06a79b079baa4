// The processes that got SIGKILL in the course of a termination, and whether the termination gives them up.
//
//   KP1. A process is given up only if it got SIGKILL several times, each time after a search that found it again, and
//        the first time is some seconds ago. Time alone does not decide: on an overloaded system one search may take
//        that long, and a killed process exits only when the system lets it run.
//   KP2. If programs start new processes faster than these can be killed, the termination gives up after a while. By then
//        every process it found has received SIGKILL.

import { signalProcess } from "./process-group.ts";

/** How often SIGKILL was sent, and since when. */
interface KillCount {
  readonly firstAt: number;
  readonly times: number;
}

const UNKILLABLE_MS = 5000;
const UNKILLABLE_TIMES = 10;
const RESPAWNING_MS = 60_000;
const RESPAWNING_TIMES = 100;

export class KilledProcesses {
  readonly #kills = new Map<number, KillCount>();
  #rounds: KillCount | undefined;

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
  shouldGiveUp(pids: readonly number[]): boolean {
    if (pids.every((pid) => isOver(this.#kills.get(pid), UNKILLABLE_MS, UNKILLABLE_TIMES))) return true;
    return isOver(this.#rounds, RESPAWNING_MS, RESPAWNING_TIMES);
  }
}

function countKill(count: KillCount | undefined): KillCount {
  return { firstAt: count?.firstAt ?? performance.now(), times: (count?.times ?? 0) + 1 };
}

function isOver(count: KillCount | undefined, ms: number, times: number): boolean {
  return count !== undefined && count.times >= times && performance.now() - count.firstAt >= ms;
}
