// The parts that all process trees of one engine share (`spawned-tree.ts`).

import type { ProcessRecords } from "../../store/process-records.ts";
import { ProcessFinder } from "./process-finder.ts";
import { RecentProcesses } from "./recent-processes.ts";

export interface SharedByTreesOptions {
  /** Records processes for the next owner of the store. */
  readonly records?: ProcessRecords | undefined;
  /** How long remaining processes have to exit by themselves. */
  readonly graceMs?: number;
  readonly report: (error: unknown) => void;
}

const GRACE_MS = 1000;

export class SharedByTrees {
  readonly finder: ProcessFinder = new ProcessFinder();
  readonly recent: RecentProcesses = new RecentProcesses();
  /** The pids of the main processes of all trees that are not gone. */
  readonly mainPids: Set<number> = new Set();
  readonly records: ProcessRecords | undefined;
  readonly graceMs: number;
  readonly report: (error: unknown) => void;

  constructor({ records, graceMs = GRACE_MS, report }: SharedByTreesOptions) {
    this.records = records;
    this.graceMs = graceMs;
    this.report = report;
  }

  /** Called before processes are started. While no tree is left, all processes are unmarked, and the next scan is cheap. */
  assumeAllUnmarked(): void {
    if (this.mainPids.size === 0) this.finder.assumeAllUnmarked();
  }
}
