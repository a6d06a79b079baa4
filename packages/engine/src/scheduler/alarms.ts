// The alarms of the scheduler: checks that are due at some time on the monotonic clock. The alarms set no timer: the
// scheduler reads `dueAtMs` and requests a wake-up for that time.

import { Heap, Ranked } from "../collections/heap.ts";

export class ScheduledAlarm extends Ranked {
  readonly fire: (nowMs: number) => void;

  constructor(fire: (nowMs: number) => void) {
    super();
    this.fire = fire;
  }
}

export class Alarms {
  readonly #heap = new Heap<ScheduledAlarm>();
  #nextSeq = 0;

  get isEmpty(): boolean {
    return this.#heap.size === 0;
  }

  get dueAtMs(): number | undefined {
    const { first } = this.#heap;
    return first === undefined ? undefined : -first.key;
  }

  /** Alarms of the same time fire in the order in which they were set. */
  set(alarm: ScheduledAlarm, dueAtMs: number): void {
    alarm.key = -dueAtMs;
    alarm.tieBreakSeq = ++this.#nextSeq;
    if (alarm.index < 0) this.#heap.add(alarm);
    else this.#heap.reposition(alarm);
  }

  cancel(alarm: ScheduledAlarm | undefined): void {
    if (alarm !== undefined && alarm.index >= 0) this.#heap.delete(alarm);
  }

  /**
   * Fires the alarms that are due, even if the call to `wake` is late, so that steps that waited for them go first.
   * Returns whether any were due.
   */
  fireDueNow(time: { monotonic(): number }): boolean {
    if (this.isEmpty) return false;
    const nowMs = time.monotonic();
    if (this.dueAtMs! > nowMs) return false;
    this.fireDue(nowMs);
    return true;
  }

  fireDue(nowMs: number): void {
    for (let { first } = this.#heap; first !== undefined && -first.key <= nowMs; { first } = this.#heap) {
      this.#heap.delete(first);
      first.fire(nowMs);
    }
  }
}
