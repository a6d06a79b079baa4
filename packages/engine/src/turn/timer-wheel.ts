// The timer wheel: every timer of every execution, and one alarm for all of them.
//
//   W1. Setting and dropping a timer costs the same however many there are: timers that are due within the same slice of
//       time share a bucket.
//   W2. A timer never fires early. It may fire up to a slice late.
//   W3. Timers that are due fire in order of time, then in the order in which they were set.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";

export interface WheelEntry<Item> {
  readonly item: Item;
  readonly dueAt: EpochMs;
  readonly bucket: number;
}

const SLICE_MS = 8;

export class TimerWheel<Item> {
  readonly #environment: Environment;
  readonly #fire: (item: Item) => void;
  readonly #buckets = new Map<number, Set<WheelEntry<Item>>>();
  /** Starts of buckets as a heap: the smallest is first. */
  readonly #heap: number[] = [];
  #alarmAt: number | undefined;

  constructor(environment: Environment, fire: (item: Item) => void) {
    this.#environment = environment;
    this.#fire = fire;
  }

  get size(): number {
    let size = 0;
    for (const bucket of this.#buckets.values()) size += bucket.size;
    return size;
  }

  set(dueAt: EpochMs, item: Item): WheelEntry<Item> {
    const bucket = Math.ceil(dueAt / SLICE_MS) * SLICE_MS;
    const entry: WheelEntry<Item> = { item, dueAt, bucket };
    const entries = this.#buckets.get(bucket);
    if (entries === undefined) this.#open(bucket, entry);
    else entries.add(entry);
    return entry;
  }

  drop(entry: WheelEntry<Item>): void {
    this.#buckets.get(entry.bucket)?.delete(entry);
  }

  clear(): void {
    this.#buckets.clear();
    this.#heap.length = 0;
    this.#setAlarm(undefined);
  }

  #open(bucket: number, entry: WheelEntry<Item>): void {
    this.#buckets.set(bucket, new Set([entry]));
    push(this.#heap, bucket);
    if (this.#alarmAt === undefined || bucket < this.#alarmAt) this.#setAlarm(bucket);
  }

  #setAlarm(bucket: number | undefined): void {
    this.#alarmAt = bucket;
    this.#environment.alarm(bucket === undefined ? undefined : epochMs(bucket), () => this.#ring());
  }

  #ring(): void {
    const now = this.#environment.now();
    while (this.#heap.length > 0 && this.#heap[0]! <= now) {
      const bucket = pop(this.#heap);
      const entries = [...(this.#buckets.get(bucket) ?? [])];
      this.#buckets.delete(bucket);
      for (const entry of entries.toSorted((a, b) => a.dueAt - b.dueAt)) this.#fire(entry.item);
    }
    this.#dropEmpty();
    this.#setAlarm(this.#heap[0]);
  }

  /** Buckets all of whose timers were dropped would ring for nothing. */
  #dropEmpty(): void {
    while (this.#heap.length > 0 && (this.#buckets.get(this.#heap[0]!)?.size ?? 0) === 0)
      this.#buckets.delete(pop(this.#heap));
  }
}

function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]! <= value) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = value;
}

function pop(heap: number[]): number {
  const top = heap[0]!;
  const value = heap.pop()!;
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= value) break;
    heap[at] = heap[child]!;
    at = child;
  }
  if (heap.length > 0) heap[at] = value;
  return top;
}
