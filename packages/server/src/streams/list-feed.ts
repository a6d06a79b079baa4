// The events of all executions for one reader (HTTP-5).
//
//   F1. The reader first gets the executions that have not ended, each with the sequence number up to which its row counts, and
//       then every later event. An execution that the reader knows and that is not in a new snapshot has ended.
//   F2. Events that wait for a slow reader are bounded. If there are too many, they are dropped, and the reader gets `resync` and
//       a new snapshot.
//   F3. A process that does not own the store has no events of others. Its readers get a new snapshot when a row has changed.

import type { Engine, ListedExecution, WatchEvent, WatchFilter } from "@segno/engine";
import { EXECUTION_STATUSES, isTerminalStatus } from "@segno/kernel";

import { eventText, messageText } from "./event-text.ts";
import type { ConnectionWriter } from "./connection-writer.ts";

/** The characters of events that may wait for one reader. Readers share the text of an event. */
const WAITING_MAX = 4 * 1024 * 1024;
const PAGE = 200;
const FOLLOW_MS = 1000;
const UNFINISHED = EXECUTION_STATUSES.filter((status) => !isTerminalStatus(status));

export type ListFeedFilter = Pick<WatchFilter, "workflow" | "kinds">;

export class ListFeed {
  readonly #engine: Engine;
  readonly #filter: ListFeedFilter;
  readonly #writer: ConnectionWriter;
  readonly #signal: AbortSignal;
  #waiting: WatchEvent[] = [];
  #waitingChars = 0;
  /** Whether events were dropped since the last snapshot. */
  #isBehind = false;
  /** The sequence numbers of the last snapshot. */
  #shown = new Map<string, number>();
  #wake = (): void => undefined;

  constructor(engine: Engine, filter: ListFeedFilter, writer: ConnectionWriter, signal: AbortSignal) {
    this.#engine = engine;
    this.#filter = filter;
    this.#writer = writer;
    this.#signal = signal;
  }

  /** Sends until the signal aborts. */
  async send(): Promise<void> {
    const stop = this.#engine.subscribe(this.#filter, ({ events, dropped }) => this.#take(events, dropped));
    const leave = (): void => this.#wake();
    this.#signal.addEventListener("abort", leave);
    try {
      await this.#sendSnapshot();
      while (!this.#signal.aborted) await this.#sendNext();
    } finally {
      stop();
      this.#signal.removeEventListener("abort", leave);
    }
  }

  /** The rows of a snapshot stay useful only while events from before it may still arrive. */
  forgetSnapshot(): void {
    if (this.#engine.isOwner) this.#shown.clear();
  }

  #take(events: readonly WatchEvent[], dropped: number): void {
    if (dropped > 0) this.#isBehind = true;
    for (const event of events) this.#keep(event);
    this.#wake();
  }

  #keep(event: WatchEvent): void {
    if (this.#isBehind) return;
    this.#waitingChars += eventText(event).length;
    this.#waiting.push(event);
    if (this.#waitingChars <= WAITING_MAX) return;
    this.#isBehind = true;
    this.#dropWaiting();
  }

  #dropWaiting(): void {
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  async #sendNext(): Promise<void> {
    if (this.#isBehind) {
      this.#writer.add(messageText("resync", { reason: "slow" }));
      await this.#sendSnapshot();
    } else if (this.#waiting.length > 0) {
      await this.#sendWaiting();
    } else if (!(await this.#isWoken()) && !this.#engine.isOwner && (await this.#hasChanged())) {
      await this.#sendSnapshot();
    }
  }

  async #sendWaiting(): Promise<void> {
    const events = this.#waiting;
    this.#dropWaiting();
    for (const event of events) {
      if (event.seq <= (this.#shown.get(event.executionId) ?? 0)) continue;
      this.#writer.add(eventText(event));
      // The rest of this batch is no longer counted as waiting, so it must not wait long.
      if (!this.#writer.isReady) await this.#writer.ready();
      if (this.#signal.aborted || this.#isBehind) return;
    }
  }

  /** False if only the time to look for changes of other processes has come. */
  async #isWoken(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wake = () => resolve(true);
    const timer = this.#engine.isOwner ? undefined : setTimeout(() => resolve(false), FOLLOW_MS);
    const isWoken = await promise;
    clearTimeout(timer);
    return isWoken;
  }

  async #sendSnapshot(): Promise<void> {
    this.#isBehind = false;
    this.#dropWaiting();
    this.#shown = new Map();
    for await (const { rows, isLast } of this.#pages()) {
      for (const { id, seq } of rows) this.#shown.set(id, seq);
      this.#writer.add(messageText("snapshot", { executions: rows, isLast }));
      await this.#writer.ready();
      if (this.#signal.aborted) return;
    }
  }

  async #hasChanged(): Promise<boolean> {
    let count = 0;
    for await (const { rows } of this.#pages()) {
      count += rows.length;
      if (rows.some(({ id, seq }) => this.#shown.get(id) !== seq)) return true;
    }
    return count !== this.#shown.size;
  }

  async *#pages(): AsyncGenerator<{ readonly rows: readonly ListedExecution[]; readonly isLast: boolean }> {
    const { workflow } = this.#filter;
    const filter = { status: UNFINISHED, limit: PAGE, ...(workflow === undefined ? {} : { workflow }) };
    for (let cursor: string | undefined, isLast = false; !isLast;) {
      const page = await this.#engine.list(filter, cursor);
      cursor = page.cursor;
      isLast = cursor === undefined;
      yield { rows: page.executions, isLast };
    }
  }
}
