// The sinks of an engine: they get one line for each event of every execution (EVENT-3, EVENT-5).
//
// A sink over HTTP resumes from the journal (`journal-sink.ts`). Sinks to stdout and to files get the events of this
// process as they happen.

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventBatch } from "../events/bus.ts";
import type { SinkHistory } from "./event-backlog.ts";
import { JournalSink } from "./journal-sink.ts";
import { fullPorts, httpBatch, openHttpOutput, openLineSink, type FullSinkPorts } from "./open-sink.ts";
import { PositionFile } from "./position-file.ts";
import type { SinkMetrics } from "./sink-metrics.ts";
import { SINK_DEFAULTS, sinkName, type HttpSinkOptions, type SinkOptions } from "./sink-options.ts";
import { eventRecord } from "./sink-record.ts";

/** The option of an engine that lists its sinks. */
export interface EngineSinkOptions {
  /**
   * Destinations that get one line for each event of every execution. A sink of type `http` resumes from the journal: it
   * delivers each event at least once, also after an outage of the server and a restart of this process.
   */
  readonly sinks?: readonly SinkOptions[];
}

export interface EngineSinksPorts {
  readonly history: SinkHistory;
  /** The file of the journal; undefined if there is none. */
  readonly journalFile: string | undefined;
  readonly mask: (text: string) => string;
  readonly now: () => number;
  readonly secret: (name: string) => Promise<string>;
  readonly report: (error: unknown) => void;
}

/** A sink of an engine. */
interface EngineSink {
  readonly metrics: SinkMetrics;
  onEvents(batch: EventBatch): void;
  start(): void;
  stop(): void;
  close(): Promise<void>;
}

export class EngineSinks {
  readonly #sinks: readonly EngineSink[];

  /** The options are checked. */
  constructor(options: readonly SinkOptions[], ports: EngineSinksPorts) {
    const { mask, now, secret, report } = ports;
    const full = fullPorts({
      mask,
      now,
      secret,
      onError: report,
      // The journal keeps what is not delivered, so a wait must not keep the process alive.
      wait: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    });
    this.#sinks = options.map((sink) => (sink.type === "http" ? journalSink(sink, ports, full) : liveSink(sink, full)));
  }

  get metrics(): readonly SinkMetrics[] {
    return this.#sinks.map(({ metrics }) => metrics);
  }

  get isEmpty(): boolean {
    return this.#sinks.length === 0;
  }

  onEvents(batch: EventBatch): void {
    for (const sink of this.#sinks) sink.onEvents(batch);
  }

  /** This process owns the store. */
  start(): void {
    for (const sink of this.#sinks) sink.start();
  }

  /** This process no longer owns the store. */
  stop(): void {
    for (const sink of this.#sinks) sink.stop();
  }

  async close(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.close()));
  }
}

function liveSink(options: SinkOptions, ports: FullSinkPorts): EngineSink {
  const sink = openLineSink(options, ports);
  return {
    get metrics() {
      return sink.metrics;
    },
    onEvents: ({ events }) => {
      for (const event of events) sink.write(eventRecord(event));
    },
    start: () => undefined,
    stop: () => undefined,
    close: () => sink.close(),
  };
}

function journalSink(options: HttpSinkOptions, ports: EngineSinksPorts, full: FullSinkPorts): EngineSink {
  const { level = "info", filter = () => true } = options;
  const { queueMax = SINK_DEFAULTS.queueMax, closeMs = SINK_DEFAULTS.closeMs } = options;
  const name = sinkName(options);
  const { history, journalFile } = ports;
  const positions = journalFile === undefined ? undefined : new PositionFile(positionPath(journalFile, options));
  const sink = new JournalSink(
    { name, level, filter, queueMax, batch: httpBatch(options), closeMs },
    { ...full, output: openHttpOutput(options, full), history, positions },
  );
  return {
    get metrics() {
      return sink.metrics;
    },
    onEvents: ({ events, dropped }) => sink.onEvents(events, dropped),
    start: () => sink.start(),
    stop: () => sink.stop(),
    close: () => sink.close(),
  };
}

/** Beside the journal. A sink without a name is known by its URL, which is not shown: a path may hold a token. */
function positionPath(journalFile: string, options: HttpSinkOptions): string {
  const journal = basename(journalFile);
  const folder = join(dirname(journalFile), journal === "segno.db" ? "sinks" : `${journal}-sinks`);
  const hash = createHash("sha256").update(sinkName(options)).digest("hex").slice(0, 16);
  return join(folder, `${options.name ?? `http-${hash}`}.positions.jsonl`);
}
