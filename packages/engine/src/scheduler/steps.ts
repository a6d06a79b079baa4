// The steps of a claim queue. Most strategies order them first in, first out: then 100,000 steps are little more than
// 100,000 numbers. Strategies that rank steps keep each one as an item of a heap.

import { comesBefore, Heap, Ranked } from "../collections/heap.ts";
import type { StepPositions } from "./step-positions.ts";

export type StepVisitor = (step: number, since: number) => void;

export interface Steps {
  readonly size: number;
  /** The next step, the time since which it waits, and its step rank. The queue must not be empty. */
  readonly first: number;
  readonly since: number;
  readonly stepRank: number;
  add(step: number, since: number, stepRank: number): void;
  /** The step must be in the queue. */
  delete(step: number): void;
  /** Visits the steps in order. */
  visit(visitor: StepVisitor): void;
  /** When a queued step began to wait, and its step rank. */
  waitingSince(step: number): number;
  stepRankAt(step: number): number;
  /** How many steps come before a step with this time and step rank. */
  countBefore(since: number, stepRank: number): number;
}

/** Deleted entries are kept until there are more than this. */
const DELETED_MAX = 64;
const DELETED = -1;

/** First in, first out. `#entries` alternates step and time. */
export class FifoSteps implements Steps {
  readonly #positions: StepPositions;
  readonly #queue: number;
  #entries: number[] = [];
  /** Index of the first entry that is not deleted. */
  #head = 0;
  /** The position of the first entry. Positions keep counting up when entries are dropped from the front. */
  #base = 0;
  #size = 0;

  constructor(positions: StepPositions, queue: number) {
    this.#positions = positions;
    this.#queue = queue;
  }

  get size(): number {
    return this.#size;
  }

  get first(): number {
    return this.#entries[this.#head * 2]!;
  }

  get since(): number {
    return this.#entries[this.#head * 2 + 1]!;
  }

  get stepRank(): number {
    return 0;
  }

  add(step: number, since: number): void {
    this.#positions.set(step, this.#queue, this.#base + this.#entries.length / 2);
    this.#entries.push(step, since);
    this.#size++;
  }

  delete(step: number): void {
    this.#entries[(this.#positions.positionAt(step) - this.#base) * 2] = DELETED;
    this.#positions.set(step, 0, 0);
    this.#size--;
    if (this.#size === 0) this.#restart([]);
    else this.#compact();
  }

  visit(visitor: StepVisitor): void {
    const entries = this.#entries;
    for (let index = this.#head * 2; index < entries.length; index += 2)
      if (entries[index] !== DELETED) visitor(entries[index]!, entries[index + 1]!);
  }

  waitingSince(step: number): number {
    return this.#entries[(this.#positions.positionAt(step) - this.#base) * 2 + 1]!;
  }

  stepRankAt(): number {
    return 0;
  }

  countBefore(since: number): number {
    if (this.#deletedCount > this.#head) this.#removeGaps();
    let [low, high] = [this.#head, this.#entries.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle * 2 + 1]! < since) low = middle + 1;
      else high = middle;
    }
    return low - this.#head;
  }

  get #deletedCount(): number {
    return this.#entries.length / 2 - this.#size;
  }

  #compact(): void {
    const entries = this.#entries;
    while (entries[this.#head * 2] === DELETED) this.#head++;
    const deletedCount = this.#deletedCount;
    if (deletedCount <= DELETED_MAX || deletedCount * 2 <= entries.length / 2) return;
    if (deletedCount === this.#head) this.#dropDeletedPrefix();
    else this.#removeGaps();
  }

  #dropDeletedPrefix(): void {
    this.#entries = this.#entries.slice(this.#head * 2);
    this.#base += this.#head;
    this.#head = 0;
  }

  /** Removes deleted entries from the middle and gives the remaining steps new positions. */
  #removeGaps(): void {
    const entries: number[] = [];
    this.visit((step, since) => {
      this.#positions.set(step, this.#queue, entries.length / 2);
      entries.push(step, since);
    });
    this.#restart(entries);
  }

  #restart(entries: number[]): void {
    this.#entries = entries;
    this.#head = 0;
    this.#base = 0;
  }
}

class RankedStep extends Ranked {
  readonly step: number;

  constructor(step: number, since: number, stepRank: number) {
    super();
    this.step = step;
    this.since = since;
    this.stepRank = stepRank;
  }
}

/** Lowest step rank first; steps of equal step rank first in, first out. */
export class RankedSteps implements Steps {
  readonly #positions: StepPositions;
  readonly #queue: number;
  readonly #heap = new Heap<RankedStep>();
  readonly #items = new Map<number, RankedStep>();
  /** Sorted copy of the heap, computed on demand and dropped on every change. */
  #ordered: readonly RankedStep[] | undefined;

  constructor(positions: StepPositions, queue: number) {
    this.#positions = positions;
    this.#queue = queue;
  }

  get size(): number {
    return this.#heap.size;
  }

  get first(): number {
    return this.#heap.first!.step;
  }

  get since(): number {
    return this.#heap.first!.since;
  }

  get stepRank(): number {
    return this.#heap.first!.stepRank;
  }

  add(step: number, since: number, stepRank: number): void {
    const item = new RankedStep(step, since, stepRank);
    this.#positions.set(step, this.#queue, 0);
    this.#items.set(step, item);
    this.#heap.add(item);
    this.#ordered = undefined;
  }

  delete(step: number): void {
    this.#positions.set(step, 0, 0);
    this.#heap.delete(this.#items.get(step)!);
    this.#items.delete(step);
    this.#ordered = undefined;
  }

  visit(visitor: StepVisitor): void {
    for (const { step, since } of this.#sorted()) visitor(step, since);
  }

  waitingSince(step: number): number {
    return this.#items.get(step)!.since;
  }

  stepRankAt(step: number): number {
    return this.#items.get(step)!.stepRank;
  }

  countBefore(since: number, stepRank: number): number {
    const ordered = this.#sorted();
    const pivot = new RankedStep(0, since, stepRank);
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore(ordered[middle]!, pivot)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sorted(): readonly RankedStep[] {
    this.#ordered ??= this.#heap.all.toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
    return this.#ordered;
  }
}
