// What happened to an execution that no store has, the newest of it: whoever asks late gets what there is.

import type { Event } from "@segno/kernel";

/** An execution of 25,000 steps fits. */
const EVENTS_MAX = 100_000;

export class EventHistory {
  #events: Event[] = [];

  get size(): number {
    return this.#events.length;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  /** The older half is dropped at once when there are too many, so that adding stays cheap. */
  add(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event);
    if (this.#events.length > EVENTS_MAX) this.#events = this.#events.slice(-EVENTS_MAX / 2);
  }
}
