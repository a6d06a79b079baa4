// A sliding window: how much was used within the time that ends now.
//
//   Q1. What was used at a time counts from then until just before that time plus the window's length. So no window of that
//       length, wherever it begins, ever holds more than the meter has shown.
//   Q2. What is remembered is bounded. When there are too many entries, those of the same thousandth of the window become one,
//       at the latest of their times: what was used may count that much longer, never less.

import type { ScheduledAlarm } from "../alarms.ts";
import { Meter } from "./meter.ts";

const ENTRIES_MAX = 4096;
const GRAINS = 1024;

interface Entry {
  atMs: number;
  amount: number;
}

export class QuotaWindow extends Meter {
  readonly perMs: number;
  /** Rings when something in it counts no more; set while somebody waits for that. */
  alarm: ScheduledAlarm | undefined = undefined;
  #entries: Entry[] = [];
  #head = 0;

  constructor(perMs: number) {
    super();
    this.perMs = perMs;
  }

  /** How many entries are remembered. */
  get entries(): number {
    return this.#entries.length - this.#head;
  }

  /** Another window of the same quota begins with what is known of the past. */
  recall(other: QuotaWindow): void {
    for (const { atMs, amount } of other.#entries.slice(other.#head)) this.record(atMs, amount);
  }

  override usedAt(nowMs: number): number {
    const entries = this.#entries;
    while (this.#head < entries.length && entries[this.#head]!.atMs + this.perMs <= nowMs)
      this.remove(entries[this.#head++]!.amount);
    if (this.#head * 2 > entries.length) this.#dropSpent();
    return super.usedAt(nowMs);
  }

  record(atMs: number, amount: number): void {
    const entries = this.#entries;
    this.add(amount);
    let place = entries.length;
    while (place > this.#head && entries[place - 1]!.atMs > atMs) place--;
    if (place > this.#head && entries[place - 1]!.atMs === atMs) entries[place - 1]!.amount += amount;
    else entries.splice(place, 0, { atMs, amount });
    if (entries.length - this.#head > ENTRIES_MAX) this.#merge();
  }

  /** When the first of what counts now counts no more. */
  get expiresAtMs(): number | undefined {
    const first = this.#entries[this.#head];
    return first === undefined ? undefined : first.atMs + this.perMs;
  }

  /** When no more than this will count, if nothing is added. */
  fallsAtMs(threshold: number, nowMs: number): number | undefined {
    let used = this.usedAt(nowMs);
    if (used <= threshold) return nowMs;
    for (let index = this.#head; index < this.#entries.length; index++) {
      used -= this.#entries[index]!.amount;
      if (used <= threshold) return this.#entries[index]!.atMs + this.perMs;
    }
    return undefined;
  }

  #dropSpent(): void {
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  #merge(): void {
    const merged: Entry[] = [];
    for (const { atMs, amount } of this.#entries.slice(this.#head)) {
      const last = merged.at(-1);
      if (last === undefined || this.#grainAt(last.atMs) !== this.#grainAt(atMs)) merged.push({ atMs, amount });
      else {
        last.atMs = atMs;
        last.amount += amount;
      }
    }
    this.#entries = merged;
    this.#head = 0;
  }

  #grainAt(atMs: number): number {
    return Math.floor((atMs * GRAINS) / this.perMs);
  }
}
