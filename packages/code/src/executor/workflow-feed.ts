// Publishes the events of running workflows to the event port, and counts them.
//
//   EF1. Events are derived from the journal, so a workflow that goes on in another process publishes all of its events
//        again. The same event has the same id: consumers that must not act twice compare ids.
//   EF2. An event port that fails does not disturb the workflow.

import type { Engine } from "@segno/engine";
import { codeEvents } from "../events/event-feed.ts";
import type { EventPort } from "../events/event-port.ts";
import { MetricsFold, type ExecutorMetrics } from "../events/executor-metrics.ts";

export class WorkflowFeed {
  readonly #port: EventPort | undefined;
  readonly #metrics = new MetricsFold();
  readonly #followed = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(port: EventPort | undefined) {
    this.#port = port;
  }

  /** Follows a workflow to its end, once. */
  follow(engine: Engine, workflowId: string): void {
    if (!this.#followed.has(workflowId)) this.#followed.set(workflowId, this.#follow(engine, workflowId));
  }

  /** Resolves when all events of a workflow that has ended were published. */
  async delivered(workflowId: string): Promise<void> {
    await this.#followed.get(workflowId);
  }

  metrics(): ExecutorMetrics {
    return this.#metrics.snapshot();
  }

  /** Publishes nothing any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #follow(engine: Engine, workflowId: string): Promise<void> {
    try {
      for await (const event of codeEvents(engine, workflowId)) {
        if (this.#isClosed) return;
        this.#metrics.apply(event);
        await this.#port?.publish(event).catch(() => undefined);
      }
    } catch {
      // The engine was closed while the workflow ran.
    }
  }
}
