// The meter that bounds the cost of one evaluation.
//
// Job: counts work ("nodes") and output ("bytes") and stops the evaluation when either runs out.
// Not its job: time. The same expression over the same data always spends the same fuel, on every machine.
//
// Invariants
//   FUEL-1  A charge is made before the work or the allocation that it pays for. There are two exceptions, both a single native pass
//           over existing data: the keys of an object, and the escapes of a text that was just made.
//   FUEL-2  One node pays for about the work of visiting one node of the expression: sixteen elements passed over by a plain loop,
//           four keys, 128 characters passed over, four comparisons of a sort.
//   FUEL-3  A new text is charged the bytes of its JSON text. A new array or object is charged only its slots; its content is
//           charged once, when it is part of the result (see `evaluate.ts`).
//   FUEL-4  Counters never go down, so one meter can be shared by all expressions of a step.

import { fail } from "./expression-failure.ts";

export interface FuelLimits {
  readonly nodes: number;
  readonly bytes: number;
}

export const FUEL_DEFAULT: FuelLimits = Object.freeze({ nodes: 100_000, bytes: 1_048_576 });

const ELEMENTS_PER_NODE = 16;
const CHARACTERS_PER_NODE = 128;
const CHARACTER_COMPARISONS_PER_NODE = 4096;
const SORT_COMPARISONS_PER_NODE = 4;
const SLOT_BYTES = 8;

export class Fuel {
  readonly limits: FuelLimits;
  nodesUsed = 0;
  bytesUsed = 0;

  constructor(limits: FuelLimits) {
    this.limits = limits;
  }

  /** Pays for work. */
  spend(nodes: number): void {
    this.nodesUsed += nodes;
    if (this.nodesUsed > this.limits.nodes) this.#refuse("work", "nodes", this.limits.nodes);
  }

  /** Pays for output. */
  produce(bytes: number): void {
    this.bytesUsed += bytes;
    if (this.bytesUsed > this.limits.bytes) this.#refuse("output", "bytes", this.limits.bytes);
  }

  /** Pays for a plain loop over existing elements. */
  scan(elements: number): void {
    this.spend(1 + Math.floor(elements / ELEMENTS_PER_NODE));
  }

  /** Pays for reading a text from end to end. */
  scanText(characters: number): void {
    this.spend(1 + Math.floor(characters / CHARACTERS_PER_NODE));
  }

  /** Pays for searching one text in another. The native search is not linear for hostile pairs, hence the product. */
  search(subject: number, needle: number): void {
    this.scanText(subject);
    this.spend(Math.floor((subject * needle) / CHARACTER_COMPARISONS_PER_NODE));
  }

  /** Pays for the comparisons of a sort; the characters are charged as they are read. */
  sort(elements: number): void {
    const comparisons = elements * Math.ceil(Math.log2(elements + 1));
    this.spend(1 + Math.floor(comparisons / SORT_COMPARISONS_PER_NODE));
  }

  /** Pays for slots in a new array or object. */
  slots(count: number): void {
    this.produce(count * SLOT_BYTES);
  }

  #refuse(subject: string, unit: string, limit: number): never {
    const advice = "select less data before working on it, or move the work into a step";
    fail("EXPRESSION_FUEL", `The expression needs more ${subject} than allowed: at most ${limit} ${unit}; ${advice}`);
  }
}

export function createFuel(limits: FuelLimits = FUEL_DEFAULT): Fuel {
  return new Fuel(limits);
}
