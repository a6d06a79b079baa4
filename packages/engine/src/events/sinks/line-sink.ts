// A sink: takes lines at once and delivers them in the background (EVENT-3).
//
//   SK1. `write` never throws and never waits: a sink that is slow or broken does not affect a workflow.
//   SK2. Lines are delivered in order, in batches, one batch at a time.
//   SK3. Memory is bounded. If the queue is full, the oldest lines are dropped. Lost lines are counted, and the next batch
//        begins with a line that states how many were lost.
//   SK4. A destination that fails is reported, at most once a minute for one cause, and the sink goes on.
//   SK5. `close` waits for the rest for a bounded time.

import { setImmediate as nextTurn } from "node:timers/promises";
import { SegnoError } from "@segno/kernel";
import { Fifo } from "@segno/kernel/fifo";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { runOutsideSteps } from "../console-capture.ts";
import { FaultReports } from "../fault-reports.ts";
import type { LogLevel } from "../logger.ts";
import type { SinkOutput, SinkWait } from "./sink-output.ts";
import { encodeRecord, isAtLeast, type SinkRecord } from "./sink-record.ts";

/** A destination for lines of events and logs. Lines that cannot be delivered are lost and counted. */
export interface Sink extends AsyncDisposable {
  /** The number of lines that were lost. */
  readonly dropped: number;
  /** Adds a line. */
  write(record: SinkRecord): void;
  /** Resolves when every line so far is delivered or lost. */
  flush(): Promise<void>;
  /** Delivers the rest within a bounded time. Lines that come later are lost. */
  close(): Promise<void>;
}

export interface LineSinkOptions {
  readonly level: LogLevel;
  readonly filter: (record: SinkRecord) => boolean;
  readonly queueMax: number;
  readonly closeMs: number;
}

/** The surroundings of a sink. */
export interface LineSinkPorts {
  readonly mask: (text: string) => string;
  readonly onError: (error: unknown, suppressed: number) => void;
  readonly now: () => number;
  readonly wait: SinkWait;
}

const BATCH_LINES_MAX = 1000;
/** Counted in characters, for a batch and for the whole queue. */
const BATCH_LENGTH_MAX = 1_048_576;
const QUEUE_LENGTH_MAX = 33_554_432;

export class LineSink implements Sink {
  readonly #output: SinkOutput;
  readonly #options: LineSinkOptions;
  readonly #ports: LineSinkPorts;
  readonly #reports: FaultReports;
  readonly #stopping = new AbortController();
  readonly #lines = new Fifo<string>();
  #length = 0;
  #dropped = 0;
  /** Lost lines that no batch has stated yet. */
  #unstated = 0;
  #inFlight = 0;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(output: SinkOutput, options: LineSinkOptions, ports: LineSinkPorts) {
    this.#output = output;
    this.#options = options;
    this.#ports = ports;
    this.#reports = new FaultReports(
      (error, _, suppressed) => ports.onError(error, suppressed),
      () => performance.now(),
    );
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(record: SinkRecord): void {
    const line = this.#encode(record);
    if (line === undefined) return;
    if (this.#closing !== undefined) return this.#lose(1);
    this.#lines.add(line);
    this.#length += line.length;
    while (this.#lines.size > this.#options.queueMax || this.#length > QUEUE_LENGTH_MAX) {
      this.#take();
      this.#lose(1);
    }
    // The output of a step is captured; a sink that a step happens to wake must not write into that step's log.
    this.#running ??= runOutsideSteps(() => this.#deliverAll());
  }

  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
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
    while (this.#lines.size > 0 && !this.#stopping.signal.aborted) await this.#deliver(this.#takeBatch());
    this.#running = undefined;
  }

  async #deliver(batch: readonly string[]): Promise<void> {
    const stated = this.#unstated;
    this.#unstated = 0;
    this.#inFlight = batch.length;
    try {
      await this.#output.send(stated === 0 ? batch : [this.#lossLine(stated), ...batch], this.#stopping.signal);
    } catch (error) {
      // After the end of `close` the lines are counted already.
      if (this.#stopping.signal.aborted) return;
      this.#unstated += stated;
      this.#lose(batch.length);
      this.#reports.report(this.#lossError(batch.length, thrownMessage(error)), undefined);
    }
    this.#inFlight = 0;
  }

  async #close(): Promise<void> {
    const { wait } = this.#ports;
    const timer = new AbortController();
    await Promise.race([this.flush(), wait(this.#options.closeMs, timer.signal).catch(() => undefined)]);
    timer.abort();
    const left = this.#lines.size + this.#inFlight;
    this.#stopping.abort();
    if (left > 0) {
      this.#lose(left);
      this.#reports.report(this.#lossError(left, "the sink was closed before they were delivered"), undefined);
    }
    this.#reports.close();
    // An output that still hangs cannot be awaited.
    const closed = this.#output.close().catch((error: unknown) => this.#ports.onError(error, 0));
    if (left === 0) await closed;
  }

  #takeBatch(): readonly string[] {
    const batch: string[] = [];
    for (let length = 0; batch.length < BATCH_LINES_MAX && length < BATCH_LENGTH_MAX && this.#lines.size > 0;) {
      const line = this.#take();
      length += line.length;
      batch.push(line);
    }
    return batch;
  }

  #take(): string {
    const line = this.#lines.take()!;
    this.#length -= line.length;
    return line;
  }

  #lose(count: number): void {
    this.#dropped += count;
    this.#unstated += count;
  }

  #lossLine(count: number): string {
    return JSON.stringify({ time: this.#ports.now(), level: "warn", dropped: count, message: "lines were lost" });
  }

  #lossError(count: number, reason: string): SegnoError {
    const message = `${this.#output.name} lost ${count} ${count === 1 ? "line" : "lines"}: ${reason}`;
    return new SegnoError("SINK_FAILED", this.#ports.mask(message));
  }
}
