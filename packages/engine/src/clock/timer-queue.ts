// A timer queue: timers that are due at times of one clock, and one alarm for all of them.
//
//   W1. Setting and dropping a timer costs the same however many there are: timers that are due within the same slice of
//       time share a bucket, and each knows its neighbours there.
//   W2. A timer never fires early, and at most a short slice late; one that is due at a whole millisecond is not late at all.
//   W3. Timers that are due fire in order of time, then in the order in which they were set.
//   W4. Slices of what is due soon are short. Timers that are due later share long slices, and are set anew when such a
//       slice begins: so there are few buckets, although most timeouts are set for a long time and dropped soon.

import { Heap, Ranked } from "../collections/heap.ts";
import { LinkedList, ListNode } from "../collections/linked-list.ts";

const SLICE_MS = 0.25;
const LONG_SLICE_MS = 512;

/** Something that is to happen at a time. It is its own place on the timer queue: every attempt has one, and setting it makes nothing. */
export abstract class TimerEntry extends ListNode {
  dueAt: number = 0;
  /** Counts on with every timer that is set: those of the same time fire in this order. */
  order: number = 0;
  /** Where it stands; nothing once it has fired or was dropped. */
  bucket: Bucket | undefined = undefined;

  /** The time has come. */
  abstract onDue(): void;
}

/** Timers of one slice, in the order in which they were set. Its rank is the time at which the slice begins. */
class Bucket extends Ranked {
  readonly timers: LinkedList<TimerEntry> = new LinkedList();

  constructor(start: number) {
    super();
    this.rank = start;
  }
}

export interface TimerClock {
  now(): number;
  /** When `ring` is to be called; nothing when it need not be. */
  alarm(at: number | undefined): void;
}

export class TimerQueue {
  readonly #clock: TimerClock;
  readonly #buckets = new Map<number, Bucket>();
  /** The bucket that begins first is on top. */
  readonly #heap = new Heap<Bucket>();
  #alarmAt: number | undefined;
  /** Slices that begin until then are divided. */
  #ranUntil: number;
  #order = 0;
  #recentStart: number | undefined;
  #recent: Bucket | undefined;

  constructor(clock: TimerClock) {
    this.#clock = clock;
    this.#ranUntil = clock.now();
  }

  get size(): number {
    let size = 0;
    for (const { timers } of this.#buckets.values()) size += timers.size;
    return size;
  }

  /** One that is set already is set anew. */
  set(entry: TimerEntry, dueAt: number): void {
    this.drop(entry);
    entry.dueAt = dueAt;
    entry.order = ++this.#order;
    this.#place(entry);
  }

  #place(entry: TimerEntry): void {
    const start = this.#startFor(entry.dueAt);
    entry.bucket = start === this.#recentStart ? this.#recent! : this.#bucketAt(start);
    entry.bucket.timers.add(entry);
  }

  /** When a timer is looked at: when it is due, or before that, when it has its place among those that are due soon. */
  #startFor(dueAt: number): number {
    const long = Math.floor(dueAt / LONG_SLICE_MS) * LONG_SLICE_MS;
    return long > this.#ranUntil ? long : Math.ceil(dueAt / SLICE_MS) * SLICE_MS;
  }

  drop(entry: TimerEntry): void {
    if (entry.bucket === undefined) return;
    entry.bucket.timers.delete(entry);
    entry.bucket = undefined;
  }

  clear(): void {
    for (const bucket of this.#buckets.values()) {
      for (const entry of byTime(bucket)) this.drop(entry);
      this.#close(bucket);
    }
    this.#setAlarm(undefined);
  }

  /** Steps that start together mostly have the same time: the bucket of the last one is at hand. */
  #bucketAt(start: number): Bucket {
    this.#recent = this.#buckets.get(start) ?? this.#open(start);
    this.#recentStart = start;
    return this.#recent;
  }

  #close(bucket: Bucket): void {
    this.#heap.delete(bucket);
    this.#buckets.delete(bucket.rank);
    if (bucket.rank === this.#recentStart) this.#recentStart = undefined;
  }

  #open(start: number): Bucket {
    const bucket = new Bucket(start);
    this.#buckets.set(start, bucket);
    this.#heap.add(bucket);
    if (this.#alarmAt === undefined || start < this.#alarmAt) this.#setAlarm(start);
    return bucket;
  }

  #setAlarm(start: number | undefined): void {
    this.#alarmAt = start;
    this.#clock.alarm(start);
  }

  /** Fires everything that is due, and asks for the next alarm. */
  runDue(): void {
    const now = this.#clock.now();
    this.#ranUntil = Math.max(this.#ranUntil, now);
    for (let bucket = this.#heap.first; bucket !== undefined && bucket.rank <= now; bucket = this.#heap.first) {
      this.#close(bucket);
      // What one of them does may drop another, or set it anew.
      for (const entry of byTime(bucket)) if (entry.bucket === bucket) this.#runOne(entry, now);
    }
    this.#dropEmpty();
    this.#setAlarm(this.#heap.first?.rank);
  }

  #runOne(entry: TimerEntry, now: number): void {
    this.drop(entry);
    if (entry.dueAt > now) this.#place(entry);
    else entry.onDue();
  }

  /** Buckets all of whose timers were dropped would ring for nothing. */
  #dropEmpty(): void {
    for (let bucket = this.#heap.first; bucket?.timers.size === 0; bucket = this.#heap.first) this.#close(bucket);
  }
}

function byTime(bucket: Bucket): readonly TimerEntry[] {
  const entries: TimerEntry[] = [];
  for (let entry = bucket.timers.first; entry !== undefined; entry = entry.next) entries.push(entry);
  return entries.toSorted((a, b) => a.dueAt - b.dueAt || a.order - b.order);
}
