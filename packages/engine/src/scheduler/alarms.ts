// The alarms of the scheduler: checks that are due at some time. No timer runs here; the scheduler asks for `dueAtMs`.

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
    alarm.fairnessSeq = ++this.#nextSeq;
    if (alarm.at < 0) this.#heap.add(alarm);
    else this.#heap.reposition(alarm);
  }

  cancel(alarm: ScheduledAlarm | undefined): void {
    if (alarm !== undefined && alarm.at >= 0) this.#heap.delete(alarm);
  }

  fireDue(nowMs: number): void {
    for (let { first } = this.#heap; first !== undefined && -first.key <= nowMs; { first } = this.#heap) {
      this.#heap.delete(first);
      first.fire(nowMs);
    }
  }
}
