// Finds the remaining processes of attempts by their markers, for many attempts at once.
//
// After an attempt it must be certain that none of its processes runs, including those that left its group (`setsid`)
// and closed its pipes. Checking the group is one system call, but misses those. Scanning all processes after every
// attempt would cost as much as the attempt. So one scan answers all queries that were made before it started, a scan
// reads only new processes (`marker-scan.ts`), and scans are spaced so that they take a small share of the time.
//
//   PF1. Every answer comes from a scan that started after the query.
//   PF2. Every pid in an answer was read in that scan (`marker-scan.ts`).

import { MarkerScan } from "./marker-scan.ts";
import { sleep } from "./sleep.ts";

interface ProcessQuery {
  readonly marker: string;
  readonly resolve: (pids: readonly number[]) => void;
}

/** After a scan that took 1 ms, the next one starts this many milliseconds later at the earliest. */
const INTERVAL_FACTOR = 40;
const INTERVAL_MAX_MS = 50;

export class ProcessFinder {
  readonly #scan = new MarkerScan();
  #queries: ProcessQuery[] = [];
  #isScanning = false;
  #nextScanAt = 0;

  /** No command runs now, so all current processes are unmarked; this makes the next scan cheap. */
  assumeNoneMarked(): void {
    this.#scan.assumeAllUnmarked();
  }

  /** The processes with this marker. */
  find(marker: string): Promise<readonly number[]> {
    return new Promise((resolve) => {
      this.#queries.push({ marker, resolve });
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

  async #scanOnce(): Promise<void> {
    const startedAt = performance.now();
    const queries = this.#queries;
    this.#queries = [];
    const marked = await this.#scan.scan();
    const endedAt = performance.now();
    this.#nextScanAt = endedAt + Math.min(INTERVAL_FACTOR * (endedAt - startedAt), INTERVAL_MAX_MS);
    for (const { marker, resolve } of queries) resolve(pidsWith(marker, marked));
  }
}

function pidsWith(marker: string, marked: ReadonlyMap<number, readonly string[]>): readonly number[] {
  return [...marked].filter(([, markers]) => markers.includes(marker)).map(([pid]) => pid);
}
