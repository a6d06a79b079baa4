// Publishes the events of running workflows to the event port, from there to the streams of the configuration, and counts
// them.
//
//   EF1. Events are derived from the journal, so a workflow that goes on in another process publishes all of its events
//        again. The same event has the same id: consumers that must not act twice compare ids.
//   EF2. An event port that fails does not disturb the workflow.

import type { Engine } from "@segno/engine";
import type { ExecutorConfig } from "../config/executor-config.ts";
import { codeEvents } from "../events/event-feed.ts";
import type { EventPort } from "../events/event-port.ts";
import { MetricsFold, type ExecutorMetrics } from "../events/executor-metrics.ts";
import { openStreams, type EventStreams } from "../events/open-streams.ts";
import { workflowFacts, type WorkflowFacts } from "../events/workflow-facts.ts";
import type { CodeInput } from "../steps/step-values.ts";

export class WorkflowFeed {
  readonly #port: EventPort;
  readonly #events: ExecutorConfig["events"];
  readonly #facts = new Map<string, WorkflowFacts>();
  #streams: EventStreams | undefined;
  readonly #metrics = new MetricsFold();
  readonly #followed = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(port: EventPort, events: ExecutorConfig["events"]) {
    this.#port = port;
    this.#events = events;
  }

  /** Opens the streams. Relative paths of files are below the current folder. */
  open(engine: Engine): void {
    this.#streams = openStreams(this.#events, {
      events: this.#port,
      folder: process.cwd(),
      mask: (text) => engine.mask(text),
      facts: (workflowId) => this.#facts.get(workflowId),
    });
  }

  /** Log lines tell facts about the tasks that events do not repeat. */
  remember(workflowId: string, input: CodeInput): void {
    this.#facts.set(workflowId, workflowFacts(workflowId, input));
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

  /** Publishes nothing any more, and delivers the rest to the streams. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#streams?.close();
  }

  async #follow(engine: Engine, workflowId: string): Promise<void> {
    try {
      for await (const event of codeEvents(engine, workflowId)) {
        if (this.#isClosed) return;
        this.#metrics.apply(event);
        if (this.#events.enabled) await this.#port.publish(event).catch(() => undefined);
      }
    } catch {
      // The engine was closed while the workflow ran.
    }
  }
}
