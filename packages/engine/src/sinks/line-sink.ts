// A sink: takes lines at once and delivers them in the background (EVENT-3).
//
//   SK1. `write` never throws and never waits: a sink that is slow or broken does not affect a workflow.
//   SK2. Lines are delivered in order, in batches, one batch at a time. A batch is sent when it has enough lines or bytes,
//        or after a time.
//   SK3. Memory is bounded. If the queue is full, lines of the lowest level are dropped first (`line-queue.ts`). Lost lines
//        are counted by level, and the next batch begins with a line that states how many were lost.
//   SK4. A destination that fails is reported, at most once a minute for one cause, and the sink goes on.
//   SK5. `close` waits for the rest for a bounded time.

import { setImmediate as nextTurn } from "node:timers/promises";
import { SegnoError } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { runOutsideSteps } from "../events/console-capture.ts";
import { FaultReports } from "../events/fault-reports.ts";
import type { LogLevel } from "../events/logger.ts";
import { LineQueue, type QueuedLine } from "./line-queue.ts";
import { LevelCounts, type SinkMetrics } from "./sink-metrics.ts";
import type { SinkOutput, SinkWait } from "./sink-output.ts";
import { encodeRecord, isAtLeast, type SinkRecord } from "./sink-record.ts";

/** A destination for lines of events and logs. Lines that cannot be delivered are lost and counted. */
export interface Sink extends AsyncDisposable {
  /** The number of lines that were lost. */
  readonly dropped: number;
  /** The counters of this sink. */
  readonly metrics: SinkMetrics;
  /** Adds a line. */
  write(record: SinkRecord): void;
  /** Resolves when every line so far is delivered or lost. */
  flush(): Promise<void>;
  /** Delivers the rest within a bounded time. Lines that come later are lost. */
  close(): Promise<void>;
}

/** When a batch is complete. */
export interface SinkBatchLimits {
  readonly lines: number;
  readonly bytes: number;
  /** How long the first line waits for others. */
  readonly waitMs: number;
}

export interface LineSinkOptions {
  readonly name: string;
  readonly level: LogLevel;
  readonly filter: (record: SinkRecord) => boolean;
  readonly queueMax: number;
  readonly batch: SinkBatchLimits;
  readonly closeMs: number;
}

/** The surroundings of a sink. */
export interface LineSinkPorts {
  readonly mask: (text: string) => string;
  readonly onError: (error: unknown, suppressed: number) => void;
  readonly now: () => number;
  readonly wait: SinkWait;
}

/** The bytes of all lines that wait. */
export const QUEUE_BYTES_MAX = 33_554_432;

export class LineSink implements Sink {
  readonly #output: SinkOutput;
  readonly #options: LineSinkOptions;
  readonly #ports: LineSinkPorts;
  readonly #reports: FaultReports;
  readonly #stopping = new AbortController();
  readonly #queue: LineQueue;
  readonly #dropped = new LevelCounts();
  #delivered = 0;
  #failures = 0;
  /** Lost lines that no batch has stated yet. */
  #unstated = 0;
  #inFlight: readonly QueuedLine[] = [];
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isFlushing = false;
  /** Ends the wait for a full batch. */
  #sendNow = (): void => undefined;

  constructor(output: SinkOutput, options: LineSinkOptions, ports: LineSinkPorts) {
    this.#output = output;
    this.#options = options;
    this.#ports = ports;
    this.#queue = new LineQueue({ lines: options.queueMax, bytes: QUEUE_BYTES_MAX });
    this.#reports = new FaultReports(
      (error, _, suppressed) => ports.onError(error, suppressed),
      () => performance.now(),
    );
  }

  get dropped(): number {
    return this.#dropped.total;
  }

  get metrics(): SinkMetrics {
    const { name } = this.#options;
    const queued = this.#queue.size + this.#inFlight.length;
    const [delivered, failures] = [this.#delivered, this.#failures];
    return { name, type: this.#output.type, delivered, dropped: this.#dropped.byLevel(), queued, failures };
  }

  write(record: SinkRecord): void {
    const line = this.#encode(record);
    if (line === undefined) return;
    if (this.#closing !== undefined) return this.#lose([record]);
    this.#lose(this.#queue.add(line, record.level));
    if (this.#isBatchFull) this.#sendNow();
    // The output of a step is captured; a sink that a step happens to wake must not write into that step's log.
    this.#running ??= runOutsideSteps(() => this.#deliverAll());
  }

  async flush(): Promise<void> {
    while (this.#running !== undefined) {
      this.#isFlushing = true;
      this.#sendNow();
      await this.#running;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #isBatchFull(): boolean {
    const { lines, bytes } = this.#options.batch;
    return this.#queue.size >= lines || this.#queue.bytes >= bytes;
  }

  /** Undefined if the record is not for this sink. A filter that throws is reported and lets the record pass. */
  #encode(record: SinkRecord): string | undefined {
    const { level, filter } = this.#options;
    if (!isAtLeast(record.level, level)) return undefined;
    try {
      if (!filter(record)) return undefined;
    } catch (error) {
      this.#reports.report(error, undefined);
    }
    return encodeRecord(record, this.#ports.mask);
  }

  async #deliverAll(): Promise<void> {
    // Lines of one turn of the event loop are one batch.
    await nextTurn();
    while (this.#queue.size > 0 && !this.#stopping.signal.aborted) {
      await this.#untilBatch();
      await this.#deliver(this.#queue.takeBatch(this.#options.batch));
    }
    this.#isFlushing = false;
    this.#running = undefined;
  }

  /** Waits for more lines, unless somebody waits for the delivery. */
  async #untilBatch(): Promise<void> {
    const { waitMs } = this.#options.batch;
    if (waitMs === 0 || this.#isFlushing || this.#isBatchFull) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = new AbortController();
    this.#sendNow = resolve;
    await Promise.race([promise, this.#ports.wait(waitMs, timer.signal).catch(() => undefined)]);
    this.#sendNow = () => undefined;
    timer.abort();
  }

  async #deliver(batch: readonly QueuedLine[]): Promise<void> {
    const stated = this.#unstated;
    this.#unstated = 0;
    this.#inFlight = batch;
    const lines = batch.map(({ text }) => text);
    try {
      await this.#output.send(stated === 0 ? lines : [this.#lossLine(stated), ...lines], this.#stopping.signal);
      this.#delivered += batch.length;
    } catch (error) {
      // After the end of `close` the lines are counted already.
      if (this.#stopping.signal.aborted) return;
      this.#failures++;
      this.#unstated += stated;
      this.#lose(batch);
      this.#reports.report(this.#lossError(batch.length, thrownMessage(error)), undefined);
    }
    this.#inFlight = [];
  }

  async #close(): Promise<void> {
    const { wait } = this.#ports;
    const timer = new AbortController();
    await Promise.race([this.flush(), wait(this.#options.closeMs, timer.signal).catch(() => undefined)]);
    timer.abort();
    const left = [...this.#inFlight, ...this.#queue.takeBatch({ lines: Infinity, bytes: Infinity })];
    this.#stopping.abort();
    if (left.length > 0) {
      this.#lose(left);
      this.#reports.report(this.#lossError(left.length, "the sink was closed before they were delivered"), undefined);
    }
    this.#reports.close();
    // An output that still hangs cannot be awaited.
    const closed = this.#output.close().catch((error: unknown) => this.#ports.onError(error, 0));
    if (left.length === 0) await closed;
    this.#inFlight = [];
  }

  #lose(lines: readonly { readonly level: LogLevel }[]): void {
    for (const { level } of lines) this.#dropped.add(level);
    this.#unstated += lines.length;
  }

  #lossLine(count: number): string {
    return JSON.stringify({ time: this.#ports.now(), level: "warn", dropped: count, message: "lines were lost" });
  }

  #lossError(count: number, reason: string): SegnoError {
    const message = `the sink ${this.#options.name} lost ${count} ${count === 1 ? "line" : "lines"}: ${reason}`;
    return new SegnoError("SINK_FAILED", this.#ports.mask(message));
  }
}
