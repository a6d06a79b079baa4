// The twin of the event bus for tests: it keeps every event, and `publish` ends when all handlers have ended.

import { accepts, callHandler } from "./event-filter.ts";
import type { CodeEvent, EventFilter, EventHandler, EventPort } from "./event-port.ts";

/** An event port for tests that keeps all events. */
export class MemoryEvents implements EventPort {
  readonly #events: CodeEvent[] = [];
  readonly #errors: unknown[] = [];
  readonly #subscriptions = new Map<string, { readonly filter: EventFilter; readonly handler: EventHandler }>();
  #lastId = 0;

  /** All events that were published, oldest first. */
  get events(): readonly CodeEvent[] {
    return this.#events;
  }

  /** The errors of handlers. */
  get errors(): readonly unknown[] {
    return this.#errors;
  }

  publish(event: CodeEvent): Promise<void> {
    return this.publishBatch([event]);
  }

  async publishBatch(events: readonly CodeEvent[]): Promise<void> {
    for (const event of events) this.#events.push(event);
    await Promise.all(Array.from(this.#subscriptions.keys(), (id) => this.#deliver(id, events)));
  }

  subscribe(filter: EventFilter, handler: EventHandler): string {
    const id = `subscription-${++this.#lastId}`;
    this.#subscriptions.set(id, { filter, handler });
    return id;
  }

  unsubscribe(subscriptionId: string): void {
    this.#subscriptions.delete(subscriptionId);
  }

  async #deliver(id: string, events: readonly CodeEvent[]): Promise<void> {
    for (const event of events) {
      const subscription = this.#subscriptions.get(id);
      if (subscription === undefined) return;
      if (!accepts(subscription.filter, event)) continue;
      await callHandler(subscription.handler, event).catch((error: unknown) => this.#errors.push(error));
    }
  }
}
