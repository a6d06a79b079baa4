// The module that publishes events: to the event port, and from there to every subscriber (CODE-1).
//
//   EP1. Publishing is not allowed to fail the work that it tells about: an error of the port is reported, and the promise
//        resolves.

import { randomUUID } from "node:crypto";
import type { CodeEvent, EventFilter, EventHandler, EventPort } from "./event-port.ts";

/** An event of a caller. Derived events have an id and a time already. */
export type NewEvent = Omit<CodeEvent, "id" | "timestamp"> & Partial<Pick<CodeEvent, "id" | "timestamp">>;

/** Options of `EventPublisher`. */
export interface EventPublisherOptions {
  /** Called with errors of the port. */
  readonly onError?: (error: unknown) => void;
  /** The clock of the events. The default is the system's clock. */
  readonly now?: () => number;
  /** `events.enabled` of the configuration. */
  readonly isEnabled?: boolean;
}

/** Publishes events of an executor, with ids and times. */
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

  /** Publishes an event. An error of the port is reported and does not stop the workflow. */
  async publishEvent(event: NewEvent): Promise<void> {
    await this.#report(() => this.#port.publish(this.#complete(event)));
  }

  /** Publishes several events in order. */
  async publishBatch(events: readonly NewEvent[]): Promise<void> {
    if (events.length > 0)
      await this.#report(() => this.#port.publishBatch(events.map((event) => this.#complete(event))));
  }

  /** Returns the id of the subscription. */
  subscribe(filter: EventFilter, handler: EventHandler): string {
    return this.#port.subscribe(filter, handler);
  }

  /** Ends a subscription. */
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
