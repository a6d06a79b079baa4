// Delivers events to subscribers in this process (EVENT-2).
//
//   EB1. A subscriber gets the events that its filter accepts, in order, one at a time.
//   EB2. Publishing never waits for a subscriber and never fails. Each subscriber has its own bounded queue; if it is full, the
//        oldest events are dropped and their number is reported.
//   EB3. An error of a handler is reported, and the handler gets the next event.

import { Fifo } from "@segno/kernel/fifo";
import { CodeError } from "../errors/code-error.ts";
import { accepts, callHandler } from "./event-filter.ts";
import type { CodeEvent, EventFilter, EventHandler, EventPort } from "./event-port.ts";

/** Options of `EventBus`. */
export interface EventBusOptions {
  /** Called with errors of handlers, and if a handler is too slow. */
  readonly onError?: (error: unknown) => void;
  /** The number of events that may wait for one subscriber. The default is 10,000. */
  readonly queueMax?: number;
}

class EventQueue {
  readonly filter: EventFilter;
  readonly #handler: EventHandler;
  readonly #onError: (error: unknown) => void;
  readonly #max: number;
  readonly #events = new Fifo<CodeEvent>();
  #dropped = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(filter: EventFilter, handler: EventHandler, max: number, onError: (error: unknown) => void) {
    this.filter = filter;
    this.#handler = handler;
    this.#max = max;
    this.#onError = onError;
  }

  add(event: CodeEvent): void {
    this.#events.add(event);
    if (this.#events.size > this.#max) {
      this.#events.take();
      this.#dropped++;
    }
    this.#running ??= this.#deliverAll();
  }

  close(): void {
    this.#isClosed = true;
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #deliverAll(): Promise<void> {
    // The publisher goes on first.
    await Promise.resolve();
    while (this.#events.size > 0 && !this.#isClosed) {
      this.#reportDropped();
      try {
        await callHandler(this.#handler, this.#events.take()!);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#running = undefined;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const error = new CodeError(
      "EVENTS_DROPPED",
      `a subscriber was too slow for ${this.#dropped} events, which were dropped`,
    );
    this.#dropped = 0;
    this.#onError(error);
  }
}

const QUEUE_MAX = 10_000;

/** Delivers events to subscribers in this process, each at its own speed. */
export class EventBus implements EventPort {
  readonly #queues = new Map<string, EventQueue>();
  readonly #onError: (error: unknown) => void;
  readonly #queueMax: number;
  #lastId = 0;

  constructor({ onError = () => undefined, queueMax = QUEUE_MAX }: EventBusOptions = {}) {
    this.#queueMax = queueMax;
    this.#onError = (error) => {
      try {
        onError(error);
      } catch {
        // There is no other place to report it, and the events must go on.
      }
    };
  }

  publish(event: CodeEvent): Promise<void> {
    return this.publishBatch([event]);
  }

  async publishBatch(events: readonly CodeEvent[]): Promise<void> {
    for (const queue of this.#queues.values())
      for (const event of events) if (accepts(queue.filter, event)) queue.add(event);
  }

  subscribe(filter: EventFilter, handler: EventHandler): string {
    const id = `subscription-${++this.#lastId}`;
    this.#queues.set(id, new EventQueue(filter, handler, this.#queueMax, this.#onError));
    return id;
  }

  unsubscribe(subscriptionId: string): void {
    this.#queues.get(subscriptionId)?.close();
    this.#queues.delete(subscriptionId);
  }

  /** Resolves when a subscriber, or every subscriber, has ended with the events so far. */
  async idle(subscriptionId?: string): Promise<void> {
    if (subscriptionId !== undefined) return await this.#queues.get(subscriptionId)?.idle();
    await Promise.all(Array.from(this.#queues.values(), (queue) => queue.idle()));
  }
}
