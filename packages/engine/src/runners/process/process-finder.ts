// Looks for what attempts left running, by their markers, for many attempts at once.
//
// After every attempt somebody has to know that nothing of it runs any more, also nothing that left its group (`setsid`)
// and let go of its pipes. The group answers in one call, but says nothing of those. To look through all processes after
// every attempt would cost as much as the attempt; so one look serves all attempts that ended before it began, a look
// only reads what is new since the last one (`marker-scan.ts`), and looks keep such a distance that they take a small
// part of the time. An attempt has ended by then: only whoever waits until it has settled waits for the look.
//
//   S1. Every answer comes from a look that began after the question.
//   S2. What is given back was read in that look (M2 of the scan).

import { MarkerScan } from "./marker-scan.ts";
import { pause } from "./pause.ts";

interface ProcessQuery {
  readonly marker: string;
  readonly resolve: (pids: readonly number[]) => void;
}

/** A look that took 1 ms is followed by at least this many without one. */
const DISTANCE = 40;
const DISTANCE_MAX_MS = 50;

export class ProcessFinder {
  readonly #scan = new MarkerScan();
  #queries: ProcessQuery[] = [];
  #isScanning = false;
  #nextAt = 0;

  /** Says that nothing of any attempt runs now; that makes the next look cheap. */
  begin(): void {
    this.#scan.assumeAllForeign();
  }

  /** The processes that have this marker. */
  find(marker: string): Promise<readonly number[]> {
    return new Promise((answer) => {
      this.#queries.push({ marker, resolve: answer });
      if (!this.#isScanning) void this.#pollLoop();
    });
  }

  async #pollLoop(): Promise<void> {
    this.#isScanning = true;
    while (this.#queries.length > 0) {
      await pause(this.#nextAt - performance.now());
      await this.#scanOnce();
    }
    this.#isScanning = false;
  }

  async #scanOnce(): Promise<void> {
    const begunAt = performance.now();
    const questions = this.#queries;
    this.#queries = [];
    const found = await this.#scan.scan();
    const endedAt = performance.now();
    this.#nextAt = endedAt + Math.min(DISTANCE * (endedAt - begunAt), DISTANCE_MAX_MS);
    for (const { marker, resolve } of questions) resolve(pidsWith(marker, found));
  }
}

function pidsWith(marker: string, found: ReadonlyMap<number, readonly string[]>): readonly number[] {
  return [...found].filter(([, markers]) => markers.includes(marker)).map(([pid]) => pid);
}
