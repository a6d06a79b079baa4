// A contest: ours and a baseline by turns, so that a slow moment of the machine hits both. The collector is left alone.

import { median } from "./figure.ts";
import { measured } from "./stall.ts";

export interface Contest {
  readonly ours: () => unknown;
  readonly baseline: () => unknown;
  readonly rounds: number;
  readonly warmUps?: number;
  /** Done after each of our rounds and not timed: what has to be put back for the next. */
  readonly putBack?: () => unknown;
}

export interface Medians {
  readonly oursMs: number;
  readonly baselineMs: number;
  /** The worst in any of our rounds. */
  readonly stallMs: number;
}

export async function contest({ ours, baseline, rounds, warmUps = 3, putBack }: Contest): Promise<Medians> {
  const oursMs: number[] = [];
  const baselineMs: number[] = [];
  let stallMs = 0;
  for (let round = -warmUps; round < rounds; round++) {
    const our = await measured(ours);
    await putBack?.();
    const base = await timed(baseline);
    if (round < 0) continue;
    oursMs.push(our.ms);
    baselineMs.push(base);
    stallMs = Math.max(stallMs, our.stallMs);
  }
  return { oursMs: median(oursMs), baselineMs: median(baselineMs), stallMs };
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
