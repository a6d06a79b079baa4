// A figure: our cost over a baseline's, in the same process, as the ratio of medians of interleaved rounds. Seconds on one
// machine say nothing about another; the ratio does.

export interface Figure {
  readonly name: string;
  readonly ratio: number;
  /** Nothing for a figure that is only told. */
  readonly limit: number | undefined;
  readonly ok: boolean;
  /** The measurements behind the ratio, for people. */
  readonly note: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function figure(name: string, ratio: number, limit: number | undefined, note: string): Figure {
  return { name, ratio: Number(ratio.toFixed(3)), limit, ok: limit === undefined || ratio <= limit, note };
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
