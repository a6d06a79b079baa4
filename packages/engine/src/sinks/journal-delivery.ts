// Delivers the events of all executions while this process owns the store.
//
//   JD1. The journal is the buffer. Events that come while the queue is full are not kept in memory: they are read from the
//        journal later. So an outage of the server, however long, loses nothing and takes a bounded memory.
//   JD2. A position is saved after the server has accepted the events (`position-file.ts`), so the next process goes on
//        there. It may send events again; they have the same ids.
//   JD3. Events of one execution are queued in order and without a gap.

import { runOutsideSteps } from "../events/console-capture.ts";
import type { WatchEvent } from "../events/watch-event.ts";
import { BatchDelivery, type DeliveryCounts } from "./batch-delivery.ts";
import { compareTrack, DeliveryTracks, newTrack, toPosition, type DeliveryTrack } from "./delivery-track.ts";
import { EventBacklog, type SinkHistory } from "./event-backlog.ts";
import { OutgoingEvents, type QueuedEvent } from "./outgoing-events.ts";
import type { HttpSinkOutput } from "./http-sink-output.ts";
import type { LineSinkOptions } from "./line-sink.ts";
import type { PositionFile } from "./position-file.ts";
import type { SinkWait } from "./sink-output.ts";

/** Events of one execution that were read and are not queued yet. */
interface ReadEvents {
  readonly track: DeliveryTrack;
  readonly events: readonly WatchEvent[];
  next: number;
}

export interface JournalDeliveryPorts {
  readonly output: Pick<HttpSinkOutput, "deliver">;
  readonly history: SinkHistory;
  /** Undefined if there is no journal file: positions are then in memory only. */
  readonly positions: PositionFile | undefined;
  readonly counts: DeliveryCounts;
  readonly encode: (event: WatchEvent) => Pick<QueuedEvent, "level" | "line">;
  readonly report: (message: string) => void;
  readonly wait: SinkWait;
}

/** Events may become durable in another order than their times, and the clock may be set back a little. */
const DISORDER_MS = 60_000;
const ENDED_TRACKS_MAX = 100_000;
const FORGET_EVERY = 1000;
const READ_AGAIN_MS = 30_000;

export class JournalDelivery {
  readonly #options: LineSinkOptions;
  readonly #ports: JournalDeliveryPorts;
  readonly #tracks = new DeliveryTracks();
  readonly #backlog: EventBacklog;
  readonly #queue: OutgoingEvents;
  readonly #delivery: BatchDelivery;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #reading: ReadEvents | undefined;
  /** The sink was created at this time, or has delivered all events before it. */
  #since: number;
  #accepted = 0;
  #isLoaded = false;
  #isClosing = false;
  /** The monotonic time before which the journal is not read again. */
  #readAfter = 0;
  #wake = (): void => undefined;

  /** Begins after `before`, which is the end of an earlier delivery. */
  constructor(options: LineSinkOptions, ports: JournalDeliveryPorts, now: number, before: Promise<void>) {
    this.#options = options;
    this.#ports = ports;
    this.#since = now;
    this.#backlog = new EventBacklog(ports.history, this.#tracks);
    this.#queue = new OutgoingEvents(options.queueMax, options.batch);
    // A sink that closes does not wait for a server that fails; the next process goes on.
    const onRetry = (): void => {
      if (this.#isClosing) this.#stopping.abort();
    };
    const { output, wait, counts, report } = ports;
    this.#delivery = new BatchDelivery({ output, wait, counts, report, onRetry });
    this.#running = runOutsideSteps(() => before.then(() => this.#run()));
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Stops at once. Resolves when nothing is written any more. */
  stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    return this.#running;
  }

  /** Delivers the queued events within a bounded time. The next process delivers the rest. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    // A server that did not accept the last request is not waited for.
    if (!this.#delivery.isRetrying) {
      const timer = new AbortController();
      const late = this.#ports.wait(this.#options.closeMs, timer.signal).catch(() => undefined);
      await Promise.race([this.#running, late]);
      timer.abort();
    }
    await this.stop();
  }

  /** `dropped` events came and are not in the batch. */
  onEvents(events: readonly WatchEvent[], dropped: number): void {
    if (dropped > 0 || !this.#isLoaded) this.#backlog.addAll();
    if (this.#isLoaded) for (const event of events) this.#onEvent(event);
    this.#wake();
  }

  #onEvent(event: WatchEvent): void {
    const { executionId, seq, at } = event;
    const known = this.#tracks.get(executionId);
    // If nothing is missing, all earlier events of an unknown execution were delivered, or came before the sink.
    const isNext = seq === 1 || (this.#backlog.isEmpty && this.#reading === undefined);
    if ((known === undefined && !isNext) || (!this.#queue.hasRoom && this.#backlog.isFull))
      return this.#backlog.addAll();
    const track = known ?? this.#tracks.add(newTrack(executionId, seq - 1));
    compareTrack(track, seq - 1);
    if (seq <= track.queued) return;
    track.known = Math.max(track.known, seq);
    if (seq === track.queued + 1 && this.#queue.hasRoom) this.#enqueue(track, event);
    else this.#backlog.add(track.id);
    // The clock was set back: the execution has to be found again after a crash.
    if (at < this.#since) this.#since = at - DISORDER_MS;
  }

  #enqueue(track: DeliveryTrack, event: WatchEvent): void {
    const { seq, at } = event;
    this.#queue.add({ track, seq, at, ...this.#ports.encode(event), isEnd: isEnd(event) });
    track.queued = seq;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#load();
    while (!signal.aborted) {
      await this.#fill();
      if (this.#queue.size === 0) {
        if (this.#isClosing) break;
        await this.#untilWoken(this.#readAfter - performance.now());
        continue;
      }
      await this.#untilBatch();
      const batch = this.#queue.batch();
      await this.#delivery.deliver(batch, signal);
      if (signal.aborted) break;
      this.#acknowledge(batch);
      await this.#save(batch);
    }
    await this.#ports.positions?.close().catch(() => undefined);
  }

  /** Without its positions a sink would deliver too much or too little, so it waits until it can read them. */
  async #load(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#isLoaded) {
      try {
        const { since, positions = [] } = (await this.#ports.positions?.read()) ?? {};
        this.#tracks.addSaved(positions);
        this.#since = since ?? this.#since;
        if (since !== undefined) this.#backlog.addAll();
        this.#isLoaded = true;
        if (!signal.aborted) await this.#save([]);
      } catch (error) {
        this.#ports.report(`cannot read its positions: ${String(error)}`);
        await this.#ports.wait(READ_AGAIN_MS, signal).catch(() => undefined);
      }
    }
  }

  /** Reads from the journal while there is room (JD1). */
  async #fill(): Promise<void> {
    if (performance.now() < this.#readAfter) return;
    try {
      while (this.#queue.hasRoom && !this.#isClosing && !this.#stopping.signal.aborted) {
        this.#reading ??= await this.#read();
        if (this.#reading === undefined) return;
        if (this.#enqueueRead(this.#reading)) this.#reading = undefined;
      }
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#backlog.addAll();
      this.#readAfter = performance.now() + READ_AGAIN_MS;
      this.#ports.report(`cannot read the journal: ${String(error)}`);
    }
  }

  async #read(): Promise<ReadEvents | undefined> {
    for (;;) {
      const id = await this.#backlog.next(this.#since);
      const track = id === undefined ? undefined : this.#tracks.get(id);
      if (track === undefined) return undefined;
      const events = await this.#ports.history.read(track.id, track.queued);
      if (events !== undefined) return { track, events, next: 0 };
      this.#tracks.delete(track.id);
      this.#lose(track, track.known - track.queued, "which was removed from the store before they were sent");
    }
  }

  /** True if all of the events are queued. */
  #enqueueRead(read: ReadEvents): boolean {
    const { track, events } = read;
    for (; read.next < events.length; read.next++) {
      if (!this.#queue.hasRoom) return false;
      const event = events[read.next]!;
      if (event.seq <= track.queued) continue;
      const missing = event.seq - track.queued - 1;
      // Without a store, the oldest events of an execution leave memory.
      if (missing > 0) this.#lose(track, missing, "which are no longer in memory");
      this.#enqueue(track, event);
    }
    return true;
  }

  /** The level of events that cannot be read is not known; most are at `info`. */
  #lose({ id }: DeliveryTrack, count: number, reason: string): void {
    this.#ports.counts.dropped.add("info", count);
    this.#ports.report(`lost ${count} ${count === 1 ? "event" : "events"} of the execution ${id}, ${reason}`);
  }

  /** Waits for more events, unless the batch is full or the sink is closing. */
  async #untilBatch(): Promise<void> {
    const until = performance.now() + this.#options.batch.waitMs;
    const { signal } = this.#stopping;
    while (!this.#queue.hasBatch && !this.#isClosing && !signal.aborted) {
      const restMs = until - performance.now();
      if (restMs <= 0) return;
      await this.#untilWoken(restMs);
    }
  }

  /** Resolves when there is something to do, or after a time if it is above 0. */
  async #untilWoken(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = new AbortController();
    this.#wake = resolve;
    if (ms > 0) void this.#ports.wait(ms, timer.signal).then(resolve, resolve);
    await promise;
    this.#wake = () => undefined;
    timer.abort();
  }

  #acknowledge(batch: readonly QueuedEvent[]): void {
    for (const { track, seq, at, isEnd: hasEnded } of batch) {
      track.delivered = seq;
      track.endedAt = hasEnded ? at : undefined;
    }
    this.#queue.drop(batch);
    this.#advanceSince(batch.at(-1)!.at);
    this.#accepted += batch.length;
    if (this.#accepted < FORGET_EVERY) return;
    this.#accepted = 0;
    this.#tracks.forgetEnded(this.#since, ENDED_TRACKS_MAX);
  }

  /** All events before the first one in the queue are delivered, unless some have to be read first. */
  #advanceSince(lastAt: number): void {
    if (!this.#backlog.isEmpty || this.#reading !== undefined) return;
    this.#since = Math.max(this.#since, (this.#queue.first?.at ?? lastAt) - DISORDER_MS);
  }

  /** A position that cannot be saved is saved with a later one; a crash before that repeats events. */
  async #save(batch: readonly QueuedEvent[]): Promise<void> {
    const { positions, report } = this.#ports;
    if (positions === undefined) return;
    const since = this.#since;
    const changed = Array.from(new Set(batch.map(({ track }) => track)), toPosition);
    try {
      await positions.append({ since, positions: changed }, () => ({ since, positions: this.#tracks.positions() }));
    } catch (error) {
      // Without a handle, the next call writes all positions.
      await positions.close().catch(() => undefined);
      report(`cannot save its positions: ${String(error)}`);
    }
  }
}

function isEnd({ kind }: WatchEvent): boolean {
  return kind === "execution.completed" || kind === "execution.failed" || kind === "execution.cancelled";
}
