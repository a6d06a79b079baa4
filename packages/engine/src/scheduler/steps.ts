// The steps of a claim queue. Most orders take them first in, first out, and then a hundred thousand of them are little more than a
// hundred thousand numbers; where some come before others whenever they came, each is an item of a heap.

import { comesBefore, Heap, Ranked } from "../collections/heap.ts";
import type { StepPositions } from "./step-positions.ts";

export type StepVisitor = (step: number, since: number) => void;

export interface Steps {
  readonly size: number;
  /** The one that is next, since when it waits, and its rank. There must be one. */
  readonly first: number;
  readonly since: number;
  readonly rank: number;
  add(step: number, since: number, rank: number): void;
  /** It must stand here. */
  delete(step: number): void;
  /** In the order in which they are next. */
  visit(visitor: StepVisitor): void;
  /** Since when a step waits that stands here, and its rank. */
  waitingSince(step: number): number;
  rankAt(step: number): number;
  /** How many are before one of this time and rank. */
  countBefore(since: number, rank: number): number;
}

/** Places of those who left are kept until there are so many. */
const SPENT_MAX = 64;
const LEFT = -1;

/** First in, first out: step and time by turns. */
export class FifoSteps implements Steps {
  readonly #positions: StepPositions;
  readonly #queue: number;
  #entries: number[] = [];
  /** Entries before the first one that waits. */
  #head = 0;
  /** The place of the first entry: places are counted on while entries are dropped. */
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

  get rank(): number {
    return 0;
  }

  add(step: number, since: number): void {
    this.#positions.set(step, this.#queue, this.#base + this.#entries.length / 2);
    this.#entries.push(step, since);
    this.#size++;
  }

  delete(step: number): void {
    this.#entries[(this.#positions.positionAt(step) - this.#base) * 2] = LEFT;
    this.#positions.set(step, 0, 0);
    this.#size--;
    if (this.#size === 0) this.#restart([]);
    else this.#tidy();
  }

  visit(visitor: StepVisitor): void {
    const entries = this.#entries;
    for (let index = this.#head * 2; index < entries.length; index += 2)
      if (entries[index] !== LEFT) visitor(entries[index]!, entries[index + 1]!);
  }

  waitingSince(step: number): number {
    return this.#entries[(this.#positions.positionAt(step) - this.#base) * 2 + 1]!;
  }

  rankAt(): number {
    return 0;
  }

  countBefore(since: number): number {
    if (this.#spent > this.#head) this.#closeUp();
    let [low, high] = [this.#head, this.#entries.length / 2];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle * 2 + 1]! < since) low = middle + 1;
      else high = middle;
    }
    return low - this.#head;
  }

  get #spent(): number {
    return this.#entries.length / 2 - this.#size;
  }

  #tidy(): void {
    const entries = this.#entries;
    while (entries[this.#head * 2] === LEFT) this.#head++;
    const spent = this.#spent;
    if (spent <= SPENT_MAX || spent * 2 <= entries.length / 2) return;
    if (spent === this.#head) this.#dropSpent();
    else this.#closeUp();
  }

  #dropSpent(): void {
    this.#entries = this.#entries.slice(this.#head * 2);
    this.#base += this.#head;
    this.#head = 0;
  }

  /** Some left from the middle: the others have new places. */
  #closeUp(): void {
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

  constructor(step: number, since: number, rank: number) {
    super();
    this.step = step;
    this.since = since;
    this.rank = rank;
  }
}

/** The smallest rank first; among equals the one that came first. */
export class RankedSteps implements Steps {
  readonly #positions: StepPositions;
  readonly #queue: number;
  readonly #heap = new Heap<RankedStep>();
  readonly #items = new Map<number, RankedStep>();
  /** All of them in order, made when somebody asks for it and kept until it changes. */
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

  get rank(): number {
    return this.#heap.first!.rank;
  }

  add(step: number, since: number, rank: number): void {
    const item = new RankedStep(step, since, rank);
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
    for (const { step, since } of this.#order()) visitor(step, since);
  }

  waitingSince(step: number): number {
    return this.#items.get(step)!.since;
  }

  rankAt(step: number): number {
    return this.#items.get(step)!.rank;
  }

  countBefore(since: number, rank: number): number {
    const ordered = this.#order();
    const mark = new RankedStep(0, since, rank);
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore(ordered[middle]!, mark)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #order(): readonly RankedStep[] {
    this.#ordered ??= this.#heap.all.toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
    return this.#ordered;
  }
}
