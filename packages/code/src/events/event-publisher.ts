// The module that publishes events: to the event port, and from there to every subscriber (CODE-1).
//
//   EP1. Publishing is not allowed to fail the work that it tells about: an error of the port is reported, and the promise
//        resolves.

import { randomUUID } from "node:crypto";
import type { CodeEvent, EventFilter, EventHandler, EventPort } from "./event-port.ts";

/** An event of a caller. Derived events have an id and a time already. */
export type NewEvent = Omit<CodeEvent, "id" | "timestamp"> & Partial<Pick<CodeEvent, "id" | "timestamp">>;

export interface EventPublisherOptions {
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
  /** `events.enabled` of the configuration. */
  readonly isEnabled?: boolean;
}

export class EventPublisher {
  readonly #port: EventPort;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #isEnabled: boolean;

  constructor(port: EventPort, options: EventPublisherOptions = {}) {
    const { onError = () => undefined, now = Date.now, isEnabled = true } = options;
    this.#port = port;
    this.#onError = onError;
    this.#now = now;
    this.#isEnabled = isEnabled;
  }

  async publishEvent(event: NewEvent): Promise<void> {
    await this.#report(() => this.#port.publish(this.#complete(event)));
  }

  async publishBatch(events: readonly NewEvent[]): Promise<void> {
    if (events.length > 0)
      await this.#report(() => this.#port.publishBatch(events.map((event) => this.#complete(event))));
  }

  /** Returns the id of the subscription. */
  subscribe(filter: EventFilter, handler: EventHandler): string {
    return this.#port.subscribe(filter, handler);
  }

  unsubscribe(subscriptionId: string): void {
    this.#port.unsubscribe(subscriptionId);
  }

  #complete(event: NewEvent): CodeEvent {
    return { ...event, id: event.id ?? randomUUID(), timestamp: event.timestamp ?? this.#now() };
  }

  async #report(publish: () => Promise<void>): Promise<void> {
    try {
      if (this.#isEnabled) await publish();
    } catch (error) {
      this.#onError(error);
    }
  }
}
