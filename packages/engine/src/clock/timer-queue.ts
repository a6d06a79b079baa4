// A timer queue: timers on one clock, with one alarm for all of them.
//
//   W1. Setting and dropping a timer has constant cost: timers of the same time slice share a bucket, and are linked
//       there.
//   W2. A timer never fires early, and at most a short slice late; one that is due at a whole millisecond is not late.
//   W3. Due timers fire in order of time, then in the order in which they were set.
//   W4. Slices of the near future are short. Later timers share long slices, and are distributed again when such a
//       slice begins. So there are few buckets, although most timeouts are set far ahead and dropped soon.

import { Heap, Ranked } from "../collections/heap.ts";
import { LinkedList, ListNode } from "../collections/linked-list.ts";

const SLICE_MS = 0.25;
const LONG_SLICE_MS = 512;

/** A timer. It is its own list node: every attempt has one, and setting it allocates nothing. */
export abstract class TimerEntry extends ListNode {
  dueAt: number = 0;
  /** Increases with every timer that is set: timers with the same time fire in this order. */
  order: number = 0;
  /** Its bucket; undefined once it has fired or was dropped. */
  bucket: Bucket | undefined = undefined;

  /** Whether the timer is set and has neither fired nor been dropped. */
  get isArmed(): boolean {
    return this.bucket !== undefined;
  }

  /** Called when the timer is due. */
  abstract onDue(): void;
}

/** Timers of one slice, in the order in which they were set. `since` is the time at which the slice begins. */
class Bucket extends Ranked {
  readonly timers: LinkedList<TimerEntry> = new LinkedList();

  constructor(start: number) {
    super();
    this.since = start;
  }
}

export interface TimerClock {
  now(): number;
  /** Requests a call of `ring` at this time; `undefined` clears the request. */
  alarm(at: number | undefined): void;
}

export class TimerQueue {
  readonly #clock: TimerClock;
  readonly #buckets = new Map<number, Bucket>();
  /** The bucket that begins first is on top. */
  readonly #heap = new Heap<Bucket>();
  #alarmAt: number | undefined;
  /** Slices that begin before this time are divided. */
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

  /** Sets a timer again if it is already set. */
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

  /** The start of the bucket: the due time for near timers, and an earlier slice for later ones. */
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

  /** Caches the last bucket, because steps that start together mostly have the same due time. */
  #bucketAt(start: number): Bucket {
    this.#recent = this.#buckets.get(start) ?? this.#open(start);
    this.#recentStart = start;
    return this.#recent;
  }

  #close(bucket: Bucket): void {
    this.#heap.delete(bucket);
    this.#buckets.delete(bucket.since);
    if (bucket.since === this.#recentStart) this.#recentStart = undefined;
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

  /** Fires all due timers, and requests the next alarm. */
  runDue(): void {
    const now = this.#clock.now();
    this.#ranUntil = Math.max(this.#ranUntil, now);
    for (let bucket = this.#heap.first; bucket !== undefined && bucket.since <= now; bucket = this.#heap.first) {
      this.#close(bucket);
      // A timer may drop another one, or set it again.
      for (const entry of byTime(bucket)) if (entry.bucket === bucket) this.#runOne(entry, now);
    }
    this.#dropEmpty();
    this.#setAlarm(this.#heap.first?.since);
  }

  #runOne(entry: TimerEntry, now: number): void {
    this.drop(entry);
    if (entry.dueAt > now) this.#place(entry);
    else entry.onDue();
  }

  /** Buckets whose timers were all dropped would cause useless alarms. */
  #dropEmpty(): void {
    for (let bucket = this.#heap.first; bucket?.timers.size === 0; bucket = this.#heap.first) this.#close(bucket);
  }
}

function byTime(bucket: Bucket): readonly TimerEntry[] {
  const entries: TimerEntry[] = [];
  for (let entry = bucket.timers.first; entry !== undefined; entry = entry.next) entries.push(entry);
  return entries.toSorted((a, b) => a.dueAt - b.dueAt || a.order - b.order);
}
