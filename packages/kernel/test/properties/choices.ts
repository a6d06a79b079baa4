// Choices: a row of bytes that answers every question of a generator or a driver.
//
// fast-check generates and shrinks the bytes. A row that is used up answers 0, and 0 is always the simplest answer, so a shorter
// row with smaller bytes is a simpler case.

import * as fc from "fast-check";

export class Choices {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(row: Uint8Array) {
    this.#bytes = row;
  }

  get isUsedUp(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    return count <= 1 ? 0 : this.byte() % count;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** True in this percentage of cases; never when the row is used up. */
  percent(chance: number): boolean {
    return this.byte() >= 256 - Math.round(chance * 2.56);
  }
}

export function bytes(maxLength: number, minLength = 0): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength, maxLength, size: "max" });
}

/** The number of runs of a property: its own number, multiplied by SEGNO_PROPERTY_RUNS if that is set. */
export function runs(usual: number): fc.Parameters<unknown> {
  const factor = Number(process.env["SEGNO_PROPERTY_RUNS"] ?? "1");
  const numRuns = Math.max(1, Math.round(usual * (Number.isFinite(factor) && factor > 0 ? factor : 1)));
  // A failure is shrunk for half a minute at most; then the smallest case so far is reported.
  return { numRuns, interruptAfterTimeLimit: 30_000 * Math.max(1, factor) };
}
