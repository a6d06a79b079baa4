// Publishes the events of executions to the event port as they happen, and counts them for the metrics.
//
//   ER1. Each event of an execution is published once by one relay, in order, also if the execution is followed again after a
//        retry.
//   ER2. Another relay, for example after a crash, publishes the events of an execution from the beginning: the last ones
//        before the crash may not have been published. Consumers recognise events by their ids.
//   ER3. An execution that cannot be read is reported, and its publication ends.

import type { Engine } from "@segno/engine";
import { EventType } from "../model/event-type.ts";
import { codeEvents } from "./event-feed.ts";
import type { EventPort } from "./event-port.ts";
import { EventPublisher } from "./event-publisher.ts";
import { MetricsFold, type ExecutorMetrics } from "./executor-metrics.ts";

export interface EventRelayOptions {
  /** Called with errors of the port, and if an execution cannot be read. */
  readonly onError?: (error: unknown) => void;
}

export class EventRelay {
  readonly #engine: Engine;
  readonly #publisher: EventPublisher;
  readonly #onError: (error: unknown) => void;
  readonly #metrics = new MetricsFold();
  /** The number of events that were published, by execution. A completed execution has no further events. */
  readonly #published = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(engine: Engine, port: EventPort, { onError = () => undefined }: EventRelayOptions = {}) {
    this.#engine = engine;
    this.#publisher = new EventPublisher(port, { onError });
    this.#onError = onError;
  }

  /** Publishes the events of an execution until it ends. Following an execution that is followed changes nothing. */
  follow(executionId: string): void {
    if (this.#isClosed || this.#running.has(executionId)) return;
    const run = this.#relay(executionId).catch((error: unknown) => this.#fail(error));
    this.#running.set(
      executionId,
      run.finally(() => this.#running.delete(executionId)),
    );
  }

  /** Resolves when an execution that is followed has ended and its events are published. */
  async ended(executionId: string): Promise<void> {
    await this.#running.get(executionId);
  }

  metrics(): ExecutorMetrics {
    return this.#metrics.snapshot();
  }

  /** Publishes nothing more. */
  close(): void {
    this.#isClosed = true;
  }

  async #relay(executionId: string): Promise<void> {
    let position = 0;
    for await (const event of codeEvents(this.#engine, executionId)) {
      if (this.#isClosed) return;
      // Events of one execution never change, so their number says which ones are new (ER1).
      if (position++ < (this.#published.get(executionId) ?? 0)) continue;
      this.#published.set(executionId, position);
      this.#metrics.apply(event);
      await this.#publisher.publishEvent(event);
      if (event.type === EventType.WorkflowCompleted) this.#published.delete(executionId);
    }
  }

  #fail(error: unknown): void {
    // The engine was closed while the execution was followed.
    if (!this.#isClosed) this.#onError(error);
  }
}
