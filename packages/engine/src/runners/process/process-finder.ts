// Finds the remaining processes of attempts by their markers, for many attempts at once.
//
// After an attempt it must be certain that none of its processes runs, including those that left its group (`setsid`)
// and closed its pipes. Checking the group is one system call, but misses those. Scanning all processes after every
// attempt would cost as much as the attempt. So each pass of a scan serves all searches that began before it, a pass
// reads only new processes (`marker-scan.ts`), and scans are spaced so that they take a small share of the time.
//
//   PF1. Every answer comes from a pass that started after the question.
//   PF2. Every pid in an answer was read in that pass.
//   PF3. As soon as one pass finds processes, the search answers with them; it does not wait to find all
//        (`process-search.ts`).

import { MarkerScan } from "./marker-scan.ts";
import { ProcessSearch } from "./process-search.ts";
import { sleep } from "./sleep.ts";

interface ProcessQuery {
  readonly search: ProcessSearch;
  readonly resolve: (pids: readonly number[]) => void;
}

/** After a scan that took 1 ms, the next one starts this many milliseconds later at the earliest. */
const INTERVAL_FACTOR = 40;
const INTERVAL_MAX_MS = 50;
/** A process in the middle of `exec` gets this long before it is read again. */
const UNREADABLE_SLEEP_MS = 1;

export class ProcessFinder {
  readonly #scan = new MarkerScan();
  #queries: ProcessQuery[] = [];
  #isScanning = false;
  #nextScanAt = 0;

  /** No process tree runs now, so all current processes are unmarked; this makes the next scan cheap. */
  assumeAllUnmarked(): void {
    this.#scan.assumeAllUnmarked();
  }

  /** The processes with this marker; see `search`. */
  find(marker: string): Promise<readonly number[]> {
    return this.search((each) => each === marker);
  }

  /** The processes with a sought marker. An empty answer is final. A non-empty answer may be incomplete (PF3). */
  search(isSought: (marker: string) => boolean): Promise<readonly number[]> {
    return new Promise((resolve) => {
      this.#queries.push({ search: new ProcessSearch(isSought), resolve });
      if (!this.#isScanning) void this.#scanLoop();
    });
  }

  async #scanLoop(): Promise<void> {
    this.#isScanning = true;
    while (this.#queries.length > 0) {
      await sleep(this.#nextScanAt - performance.now());
      await this.#scanOnce();
    }
    this.#isScanning = false;
  }

  /** Passes follow each other without a pause while a search needs another one; they also serve new searches. */
  async #scanOnce(): Promise<void> {
    const startedAt = performance.now();
    while (await this.#hasUndecidedAfterPass());
    const endedAt = performance.now();
    this.#nextScanAt = endedAt + Math.min(INTERVAL_FACTOR * (endedAt - startedAt), INTERVAL_MAX_MS);
  }

  async #hasUndecidedAfterPass(): Promise<boolean> {
    const queries = this.#queries;
    this.#queries = [];
    const pass = await this.#scan.pass();
    const undecided = queries.filter(({ search, resolve }) => {
      const found = search.resultAfter(pass);
      if (found !== undefined) resolve(found);
      return found === undefined;
    });
    this.#queries = [...undecided, ...this.#queries];
    if (undecided.length > 0 && pass.hasUnreadable) await sleep(UNREADABLE_SLEEP_MS);
    return undecided.length > 0;
  }
}
