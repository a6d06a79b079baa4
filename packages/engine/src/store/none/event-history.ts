// The recent events of an execution without a store, for subscribers that arrive late.

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

  /** Drops the older half at once when the limit is reached, so that `add` stays cheap. */
  add(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event);
    if (this.#events.length > EVENTS_MAX) this.#events = this.#events.slice(-EVENTS_MAX / 2);
  }
}
