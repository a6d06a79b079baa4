// Publishes the events of running workflows to the event port, from there to the streams of the configuration, and counts
// them.
//
//   EF1. The place in the events is saved after each event, beside the journal. A workflow that goes on in another process,
//        or that is retried, publishes the rest. After a crash the last event may come twice: it has the same id.
//   EF2. An event port that fails does not disturb the workflow.

import { dirname, join } from "node:path";
import type { Engine } from "@segno/engine";
import type { ExecutorConfig } from "../config/executor-config.ts";
import { codeEvents } from "../events/event-feed.ts";
import { FileEventPlaces, MemoryEventPlaces, type EventPlaces } from "../events/event-places.ts";
import type { CodeEvent, EventPort } from "../events/event-port.ts";
import type { EventPublisher } from "../events/event-publisher.ts";
import { codeMetrics } from "../events/code-metrics.ts";
import { MetricsFold, type ExecutorMetrics } from "../events/executor-metrics.ts";
import { openStreams, type EventStreams } from "../events/open-streams.ts";
import { isLater } from "../events/stream-place.ts";

const PLACES = "event-places";

export class WorkflowFeed {
  readonly #port: EventPort;
  readonly #publisher: EventPublisher;
  readonly #events: ExecutorConfig["events"];
  #places: EventPlaces = new MemoryEventPlaces();
  /** The last event of each workflow that was counted. */
  readonly #counted = new Map<string, string>();
  #streams: EventStreams | undefined;
  readonly #metrics = new MetricsFold();
  readonly #followed = new Map<string, Promise<void>>();
  #removeMetrics: (() => void) | undefined;
  #isClosed = false;

  constructor(port: EventPort, publisher: EventPublisher, events: ExecutorConfig["events"]) {
    this.#port = port;
    this.#publisher = publisher;
    this.#events = events;
  }

  /**
   * Opens the streams, and adds the metrics of the executor to those of its engine. Relative paths of files are below the current
   * folder.
   */
  open(engine: Engine, metrics: () => ExecutorMetrics): void {
    this.#removeMetrics = engine.extensions.addMetrics(() => codeMetrics(metrics()));
    const { journalFile } = engine.extensions;
    if (journalFile !== undefined) this.#places = new FileEventPlaces(join(dirname(journalFile), PLACES));
    this.#streams = openStreams(this.#events, {
      events: this.#port,
      folder: process.cwd(),
      mask: (text) => engine.mask(text),
      secret: (name) => engine.extensions.readSecret(name),
    });
  }

  /** Follows a workflow to its end. One that is followed is left alone. */
  follow(engine: Engine, workflowId: string): void {
    if (this.#isClosed || this.#followed.has(workflowId)) return;
    const run = this.#follow(engine, workflowId).finally(() => this.#followed.delete(workflowId));
    this.#followed.set(workflowId, run);
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
    this.#removeMetrics?.();
    await this.#streams?.close();
  }

  async #follow(engine: Engine, workflowId: string): Promise<void> {
    try {
      const place = await this.#places.read(workflowId);
      let startedAt: number | undefined;
      for await (const event of codeEvents(engine, workflowId)) {
        if (this.#isClosed) return;
        this.#count(event);
        startedAt ??= event.timestamp;
        if (place?.startedAt === startedAt && !isLater(event.id, place.eventId)) continue;
        await this.#publisher.publishEvent(event);
        // Without its place, the event comes again after a crash.
        await this.#places.save(workflowId, { eventId: event.id, startedAt }).catch(() => undefined);
      }
    } catch {
      // The engine was closed while the workflow ran.
    }
  }

  #count(event: CodeEvent): void {
    const { workflowId, id } = event;
    if (!isLater(id, this.#counted.get(workflowId))) return;
    this.#counted.set(workflowId, id);
    this.#metrics.apply(event);
  }
}
