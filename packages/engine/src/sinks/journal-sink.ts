// A sink that resumes from the journal: it delivers the events of all executions to an HTTP server, at least once and in the
// order of each execution (EVENT-3).
//
//   JS1. Only the owner of the store delivers (`journal-delivery.ts`): from `start` on, until `stop`.
//   JS2. A new sink delivers events from its creation on.
//   JS3. Counters go on when ownership is lost and gained.

import { SegnoError } from "@segno/kernel";
import type { WatchEvent } from "../events/watch-event.ts";
import type { DeliveryCounts } from "./batch-delivery.ts";
import type { SinkHistory } from "./event-backlog.ts";
import type { QueuedEvent } from "./outgoing-events.ts";
import type { HttpSinkOutput } from "./http-sink-output.ts";
import { JournalDelivery } from "./journal-delivery.ts";
import type { LineSinkOptions, LineSinkPorts } from "./line-sink.ts";
import type { PositionFile } from "./position-file.ts";
import { LevelCounts, type SinkMetrics } from "./sink-metrics.ts";
import { encodeRecord, eventRecord, isAtLeast } from "./sink-record.ts";

/** The collaborators of a sink that resumes from the journal. */
export interface JournalSinkPorts extends LineSinkPorts {
  readonly output: HttpSinkOutput;
  readonly history: SinkHistory;
  readonly positions: PositionFile | undefined;
}

export class JournalSink {
  readonly #options: LineSinkOptions;
  readonly #ports: JournalSinkPorts;
  readonly #counts: DeliveryCounts = { delivered: 0, failures: 0, dropped: new LevelCounts() };
  #delivery: JournalDelivery | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: LineSinkOptions, ports: JournalSinkPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  get metrics(): SinkMetrics {
    const { delivered, failures, dropped } = this.#counts;
    const queued = this.#delivery?.queued ?? 0;
    return { name: this.#options.name, type: "http", delivered, dropped: dropped.byLevel(), queued, failures };
  }

  /** The process owns the store. */
  start(): void {
    const { output, history, positions, wait, now } = this.#ports;
    const report = (message: string): void => this.#report(message);
    const encode = (event: WatchEvent): Pick<QueuedEvent, "level" | "line"> => this.#encode(event);
    const ports = { output, history, positions, wait, counts: this.#counts, encode, report };
    this.#delivery ??= new JournalDelivery(this.#options, ports, now(), this.#stopped);
  }

  /** Another process may own the store. */
  stop(): void {
    if (this.#delivery !== undefined) this.#stopped = this.#delivery.stop();
    this.#delivery = undefined;
  }

  /** Delivers the queued events within a bounded time. */
  async close(): Promise<void> {
    await this.#delivery?.close();
    await this.#stopped;
  }

  onEvents(events: readonly WatchEvent[], dropped: number): void {
    this.#delivery?.onEvents(events, dropped);
  }

  /** A filter that throws is reported and lets the event pass. */
  #encode(event: WatchEvent): Pick<QueuedEvent, "level" | "line"> {
    const { level: least, filter } = this.#options;
    const record = eventRecord(event);
    const { level } = record;
    if (!isAtLeast(level, least)) return { level, line: undefined };
    try {
      if (!filter(record)) return { level, line: undefined };
    } catch (error) {
      this.#ports.onError(error, 0);
    }
    return { level, line: encodeRecord(record, this.#ports.mask) };
  }

  #report(message: string): void {
    const { mask, onError } = this.#ports;
    onError(new SegnoError("SINK_FAILED", mask(`the sink ${this.#options.name} ${message}`)), 0);
  }
}
