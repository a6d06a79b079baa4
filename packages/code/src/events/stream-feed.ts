// Feeds the events of one execution to one stream of the configuration (CODE-13, EVENT-3).
//
//   SF1. A place is saved after events are delivered, so a process that goes on with the execution feeds the rest.
//   SF2. A file has each event once, also after a crash: its last line decides.
//   SF3. A server gets each event at least once: a batch is sent again until the server accepts it, by this process or by the
//        next one. Events that come meanwhile are the next batch.
//   SF4. A stream that fails does not disturb the execution, nor other streams.

import { openSink, type Engine, type Sink, type SinkOptions, type SinkPorts } from "@segno/engine";
import { codeEvents } from "./event-feed.ts";
import { toRecord } from "./event-record.ts";
import { fileSize, isLater, lastEventIn, type StreamPlace } from "./stream-place.ts";

export interface StreamFeedOptions {
  readonly executionId: string;
  readonly stream: SinkOptions;
  readonly place: StreamPlace;
  readonly save: (place: StreamPlace) => Promise<void>;
  readonly ports: SinkPorts;
  /** Aborts when the process gives up; the next one feeds the rest. */
  readonly signal: AbortSignal;
}

/** Fewer than a sink keeps, so that none is dropped. */
const UNSAVED_MAX = 1000;

/** Resolves when the execution has ended and the stream has all events, or when the engine is closed. */
export async function feedStream(engine: Engine, options: StreamFeedOptions): Promise<void> {
  await (options.stream.type === "http" ? feedServer(engine, options) : feedLocal(engine, options));
}

async function feedLocal(engine: Engine, options: StreamFeedOptions): Promise<void> {
  const { executionId, stream, place, save } = options;
  const file = stream.type === "file" ? stream.path : undefined;
  let last = file === undefined ? place.eventId : await lastEventIn(file, executionId, place);
  await using sink = openSink(stream, options.ports);
  for await (const event of codeEvents(engine, executionId)) {
    if (!isLater(event.id, last)) continue;
    sink.write(toRecord(event));
    await sink.flush();
    last = event.id;
    await save({ eventId: last, ...(file === undefined ? {} : { size: await fileSize(file) }) });
  }
}

async function feedServer(
  engine: Engine,
  { executionId, stream, place, save, ports, signal }: StreamFeedOptions,
): Promise<void> {
  // The journal keeps the events that this process could not send, so an error after the abort is no loss.
  const onError: SinkPorts["onError"] = (error, suppressed) => {
    if (!signal.aborted) ports.onError?.(error, suppressed);
  };
  const patient = { ...stream, attempts: Number.POSITIVE_INFINITY, batchMs: 0, closeMs: 1 } as SinkOptions;
  await using sink = openSink(patient, { ...ports, ...(ports.onError === undefined ? {} : { onError }) });
  signal.addEventListener("abort", () => void sink.close());
  const saver = new PlaceSaver(sink, save, signal);
  for await (const event of codeEvents(engine, executionId)) {
    if (!isLater(event.id, place.eventId)) continue;
    sink.write(toRecord(event));
    await saver.add(event.id);
  }
  await saver.idle();
}

/** Saves the place of the last event each time that a server has accepted everything so far. */
class PlaceSaver {
  readonly #sink: Sink;
  readonly #save: StreamFeedOptions["save"];
  readonly #signal: AbortSignal;
  #last: string | undefined;
  #unsaved = 0;
  #error: unknown;
  #running: Promise<void> | undefined;

  constructor(sink: Sink, save: StreamFeedOptions["save"], signal: AbortSignal) {
    this.#sink = sink;
    this.#save = save;
    this.#signal = signal;
  }

  /** Waits if too many events are not delivered yet. */
  async add(eventId: string): Promise<void> {
    this.#last = eventId;
    this.#unsaved++;
    this.#running ??= this.#run();
    if (this.#unsaved >= UNSAVED_MAX) await this.idle();
  }

  /** Rejects if the process has given up, or if a place could not be saved. */
  async idle(): Promise<void> {
    await this.#running;
    this.#signal.throwIfAborted();
    if (this.#error !== undefined) throw this.#error;
  }

  async #run(): Promise<void> {
    while (this.#unsaved > 0 && this.#error === undefined) {
      const [eventId, count] = [this.#last!, this.#unsaved];
      await this.#sink.flush();
      if (this.#signal.aborted) return;
      await this.#save({ eventId }).catch((error: unknown) => (this.#error = error));
      this.#unsaved -= count;
    }
    this.#running = undefined;
  }
}
