// A sliding window: how much of a quota was used in the last `perMs`.
//
//   Q1. An amount used at time t counts in [t, t + perMs). So at each use, everything used in the `perMs` before it counts
//       too: if the usage never exceeds the bound, no interval of that length contains more than the bound.
//   Q2. The number of entries is bounded. If there are too many, the entries within 1/1024 of the window are merged
//       into one at the latest of their times: an amount may count that much longer, never shorter.

import type { ScheduledAlarm } from "../alarms.ts";
import { Meter } from "./meter.ts";

const ENTRIES_MAX = 4096;
const BUCKETS = 1024;

interface Entry {
  atMs: number;
  amount: number;
}

export class QuotaWindow extends Meter {
  readonly perMs: number;
  /** Fires when the oldest entry expires; set while a queue waits for the window. */
  alarm: ScheduledAlarm | undefined = undefined;
  #entries: Entry[] = [];
  #head = 0;

  constructor(perMs: number) {
    super();
    this.perMs = perMs;
  }

  /** The number of entries kept. */
  get entries(): number {
    return this.#entries.length - this.#head;
  }

  /** Copies the known usage into a new window of the same quota. */
  copyFrom(other: QuotaWindow): void {
    for (const { atMs, amount } of other.#entries.slice(other.#head)) this.record(atMs, amount);
  }

  override usedAt(nowMs: number): number {
    const entries = this.#entries;
    while (this.#head < entries.length && entries[this.#head]!.atMs + this.perMs <= nowMs)
      this.remove(entries[this.#head++]!.amount);
    if (this.#head * 2 > entries.length) this.#dropExpired();
    return super.usedAt(nowMs);
  }

  record(atMs: number, amount: number): void {
    const entries = this.#entries;
    this.add(amount);
    let index = entries.length;
    while (index > this.#head && entries[index - 1]!.atMs > atMs) index--;
    if (index > this.#head && entries[index - 1]!.atMs === atMs) entries[index - 1]!.amount += amount;
    else entries.splice(index, 0, { atMs, amount });
    if (entries.length - this.#head > ENTRIES_MAX) this.#merge();
  }

  /** When the oldest entry expires. */
  get expiresAtMs(): number | undefined {
    const first = this.#entries[this.#head];
    return first === undefined ? undefined : first.atMs + this.perMs;
  }

  /** When usage will have dropped to `threshold` if nothing is added. */
  fallsAtMs(threshold: number, nowMs: number): number | undefined {
    let used = this.usedAt(nowMs);
    if (used <= threshold) return nowMs;
    for (let index = this.#head; index < this.#entries.length; index++) {
      used -= this.#entries[index]!.amount;
      if (used <= threshold) return this.#entries[index]!.atMs + this.perMs;
    }
    return undefined;
  }

  #dropExpired(): void {
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  #merge(): void {
    const merged: Entry[] = [];
    for (const { atMs, amount } of this.#entries.slice(this.#head)) {
      const last = merged.at(-1);
      if (last === undefined || this.#bucketAt(last.atMs) !== this.#bucketAt(atMs)) merged.push({ atMs, amount });
      else {
        last.atMs = atMs;
        last.amount += amount;
      }
    }
    this.#entries = merged;
    this.#head = 0;
  }

  #bucketAt(atMs: number): number {
    return Math.floor((atMs * BUCKETS) / this.perMs);
  }
}
