// The executions whose events a sink has to read from the journal, because they came while it could not take them.
//
//   EB1. The list is bounded. If there are more executions, all of them are compared with the journal later, page by page.
//   EB2. An execution that the sink does not know is read from its beginning if it has changed since `since`. Before that
//        time everything was delivered.

import type { ExecutionId } from "@segno/kernel";
import type { WatchEvent } from "../events/watch-event.ts";
import type { Page, Summary } from "../store/store.ts";
import { compareTrack, newTrack, type DeliveryTracks } from "./delivery-track.ts";

/** The journal, as sinks read it. */
export interface SinkHistory {
  /** The events after a sequence number; undefined if the execution does not exist. */
  read(id: ExecutionId, after: number): Promise<readonly WatchEvent[] | undefined>;
  /** All executions, one page at a time. */
  list(cursor: string | undefined): Promise<Page>;
}

const EXECUTIONS_MAX = 10_000;

export class EventBacklog {
  readonly #history: SinkHistory;
  readonly #tracks: DeliveryTracks;
  readonly #toRead = new Set<ExecutionId>();
  #isBehind = false;
  /** The next page of a comparison that is under way. */
  #page: { readonly cursor: string | undefined } | undefined;

  constructor(history: SinkHistory, tracks: DeliveryTracks) {
    this.#history = history;
    this.#tracks = tracks;
  }

  get isEmpty(): boolean {
    return this.#toRead.size === 0 && !this.#isBehind && this.#page === undefined;
  }

  get isFull(): boolean {
    return this.#toRead.size >= EXECUTIONS_MAX;
  }

  /** The execution has a track. */
  add(id: ExecutionId): void {
    this.#toRead.add(id);
  }

  /** Any execution may have events that the sink has not seen (EB1). */
  addAll(): void {
    this.#isBehind = true;
  }

  /** The next execution to read, which has a track. */
  async next(since: number): Promise<ExecutionId | undefined> {
    for (;;) {
      const [id] = this.#toRead;
      if (id !== undefined) {
        this.#toRead.delete(id);
        return id;
      }
      if (this.#page === undefined) {
        if (!this.#isBehind) return undefined;
        this.#isBehind = false;
        this.#page = { cursor: undefined };
      }
      const { executions, cursor } = await this.#history.list(this.#page.cursor);
      for (const execution of executions) this.#compare(execution, since);
      this.#page = cursor === undefined ? undefined : { cursor };
    }
  }

  #compare({ id, projection: { seq, updatedAt }, quarantined }: Summary, since: number): void {
    if (quarantined !== undefined) return;
    const track = this.#tracks.get(id);
    if (track === undefined) {
      if (updatedAt < since) return;
      this.#tracks.add({ ...newTrack(id, 0), known: seq });
      this.#toRead.add(id);
      return;
    }
    compareTrack(track, seq);
    track.known = Math.max(track.known, seq);
    if (seq > track.queued) this.#toRead.add(id);
  }
}
