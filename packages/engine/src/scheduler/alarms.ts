// Alarms of the scheduler: what is to be looked at again at some time. There is no timer here; whoever asks learns when the
// next one is due.

import { Heap, Ranked } from "../collections/heap.ts";

export class ScheduledAlarm extends Ranked {
  readonly ring: (nowMs: number) => void;

  constructor(ring: (nowMs: number) => void) {
    super();
    this.ring = ring;
  }
}

export class Alarms {
  readonly #heap = new Heap<ScheduledAlarm>();
  #sets = 0;

  get isEmpty(): boolean {
    return this.#heap.size === 0;
  }

  /** When the next one is due. */
  get dueAtMs(): number | undefined {
    const { first } = this.#heap;
    return first === undefined ? undefined : -first.key;
  }

  /** Those of the same time ring in the order in which they were set. */
  set(alarm: ScheduledAlarm, dueAtMs: number): void {
    alarm.key = -dueAtMs;
    alarm.fairnessSeq = ++this.#sets;
    if (alarm.at < 0) this.#heap.add(alarm);
    else this.#heap.reposition(alarm);
  }

  drop(alarm: ScheduledAlarm | undefined): void {
    if (alarm !== undefined && alarm.at >= 0) this.#heap.delete(alarm);
  }

  ringUntil(nowMs: number): void {
    for (let { first } = this.#heap; first !== undefined && -first.key <= nowMs; { first } = this.#heap) {
      this.#heap.delete(first);
      first.ring(nowMs);
    }
  }
}
