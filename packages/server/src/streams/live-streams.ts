// Streams of events (EVENT-3, HTTP-5): Server-Sent Events of one execution, or of all.
//
//   S1. The id of an event is its execution and its sequence number. A reader that comes back with the last id gets every later
//       event once.
//   S2. A reader that is too slow does not fill the memory: the server waits for it, and reads the journal again from where it was.
//       Readers of all executions get a new snapshot instead (F2).
//   S3. A token has a limit of open streams, and so has the server. Streams end when their token is revoked or the server closes.

import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { chunkText, eventText } from "./event-text.ts";
import { ListFeed, type ListFeedFilter } from "./list-feed.ts";
import type { StreamConnection } from "./stream-connection.ts";
import { ConnectionWriter } from "./connection-writer.ts";

const HEARTBEAT = ": heartbeat\n\n";

export interface StreamLimits {
  readonly perToken: number;
  readonly perServer: number;
  readonly heartbeatMs: number;
}

export class LiveStreams {
  readonly #engine: Engine;
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, Set<AbortController>>();

  constructor(engine: Engine, limits: StreamLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  get count(): number {
    let count = 0;
    for (const streams of this.#open.values()) count += streams.size;
    return count;
  }

  /** Sends the events of one execution after this sequence number, until it ends or the reader leaves. */
  async follow(id: string, after: number, owner: string, connection: StreamConnection): Promise<void> {
    await this.#run(owner, connection, async (writer, signal) => {
      const handle = await this.#engine.get(id);
      const stop = this.#sendChunks(id, writer);
      try {
        for await (const event of handle.events({ after, signal })) {
          writer.add(eventText(event));
          await writer.ready();
          if (signal.aborted) return;
        }
      } finally {
        stop();
      }
    });
  }

  /** Sends the executions that have not ended, and then the events of all, until the reader leaves. */
  async followAll(filter: ListFeedFilter, owner: string, connection: StreamConnection): Promise<void> {
    await this.#run(owner, connection, async (writer, signal) => {
      const feed = new ListFeed(this.#engine, filter, writer, signal);
      const forgetting = setInterval(() => feed.forgetSnapshot(), this.#limits.heartbeatMs);
      await feed.send().finally(() => clearInterval(forgetting));
    });
  }

  /** Parts of streams are not in the journal, so a reader that is too slow misses them, and gets their number. */
  #sendChunks(id: string, writer: ConnectionWriter): () => void {
    let dropped = 0;
    return this.#engine.onStream({ executionId: id }, (_, chunk) => {
      if (!writer.isReady) {
        dropped += 1;
        return;
      }
      writer.add(chunkText(id, chunk, dropped));
      dropped = 0;
    });
  }

  /** Ends the streams of a token. */
  end(owner: string): void {
    for (const stream of this.#open.get(owner) ?? []) stream.abort();
  }

  endAll(): void {
    for (const owner of this.#open.keys()) this.end(owner);
  }

  async #run(
    owner: string,
    connection: StreamConnection,
    send: (writer: ConnectionWriter, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const own = this.#open.get(owner) ?? new Set();
    const { perToken, perServer, heartbeatMs } = this.#limits;
    if (own.size >= perToken) throw new SegnoError("STREAMS_LIMITED", `${perToken} streams of this token are open`);
    if (this.count >= perServer) throw new SegnoError("STREAMS_LIMITED", `${perServer} streams of the server are open`);
    const ending = new AbortController();
    own.add(ending);
    this.#open.set(owner, own);
    connection.begin();
    const signal = AbortSignal.any([ending.signal, connection.signal]);
    const writer = new ConnectionWriter(connection, signal);
    const heartbeat = setInterval(() => writer.isReady && writer.add(HEARTBEAT), heartbeatMs);
    try {
      await send(writer, signal);
      await writer.end();
    } finally {
      clearInterval(heartbeat);
      own.delete(ending);
      if (own.size === 0) this.#open.delete(owner);
    }
  }
}
