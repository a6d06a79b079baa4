// A search for the processes with certain markers, over several passes of a scan (`marker-scan.ts`).
//
//   PX1. Processes that a pass has found are the result at once, even if that pass may have missed others: the caller
//        signals them and searches again. No process continues to run because the search for others takes long.
//   PX2. The result is empty only after a pass that cannot have missed a process, or when the limits of PX3 are reached.
//   PX3. A search is bounded. Deaths repeat it a limited number of times, because on a busy system some process has
//        always just died. Processes without readable variables repeat it for a limited time and several passes: on a
//        busy system some process is always in the middle of `exec`.

import { UNREADABLE_MS, UNREADABLE_PASSES, type ScanPass } from "./marker-scan.ts";

/** How often a search repeats because processes died meanwhile. On a loaded machine one pass of two may miss a process. */
const PASSES_AFTER_DEATHS = 20;

export class ProcessSearch {
  readonly #isSought: (marker: string) => boolean;
  readonly #startedAt: number = performance.now();
  #passes = 0;

  constructor(isSought: (marker: string) => boolean) {
    this.#isSought = isSought;
  }

  /** The result of the search after a pass that began after the search; undefined if another pass is necessary. */
  resultAfter(pass: ScanPass): readonly number[] | undefined {
    this.#passes++;
    const found = [...pass.marked].filter(([, markers]) => markers.some(this.#isSought)).map(([pid]) => pid);
    return found.length > 0 || this.#isConclusive(pass) ? found : undefined;
  }

  #isConclusive({ hasUnreadable, hasDeaths }: ScanPass): boolean {
    const mayBecomeReadable = this.#passes < UNREADABLE_PASSES || performance.now() - this.#startedAt < UNREADABLE_MS;
    if (hasUnreadable && mayBecomeReadable) return false;
    return !hasDeaths || this.#passes > PASSES_AFTER_DEATHS;
  }
}
