// A figure: our cost over a baseline's, in the same process, as the ratio of medians of interleaved rounds. Seconds on one
// machine say nothing about another; the ratio does.

export interface Figure {
  readonly name: string;
  readonly ratio: number;
  readonly limit: number;
  readonly ok: boolean;
  /** What stands behind the ratio, for people. */
  readonly note: string;
}

export interface Contest {
  readonly ours: () => unknown;
  readonly baseline: () => unknown;
  readonly rounds: number;
  readonly warmUps?: number;
}

export interface Medians {
  readonly oursMs: number;
  readonly baselineMs: number;
}

/** Runs both by turns, so that a slow moment of the machine hits both. */
export function compare({ ours, baseline, rounds, warmUps = 3 }: Contest): Medians {
  for (let round = 0; round < warmUps; round++) {
    ours();
    baseline();
  }
  const oursMs: number[] = [];
  const baselineMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    oursMs.push(timed(ours));
    baselineMs.push(timed(baseline));
  }
  return { oursMs: median(oursMs), baselineMs: median(baselineMs) };
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function figure(name: string, ratio: number, limit: number, note: string): Figure {
  return { name, ratio: Number(ratio.toFixed(3)), limit, ok: ratio <= limit, note };
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
