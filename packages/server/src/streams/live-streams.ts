// Streams of events (EVENT-3, HTTP-5): Server-Sent Events of one execution, or of all.
//
//   S1. The id of an event is its execution and its sequence number. A reader that comes back with the last id gets every later
//       event once.
//   S2. A reader that is too slow does not fill the memory: the server waits for it, and reads the journal again from where it was.
//   S3. A token has a limit of open streams, and so has the server. Streams end when their token is revoked or the server closes.

import type { Engine, WatchEvent } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { StreamConnection } from "./stream-connection.ts";

export interface StreamLimits {
  readonly perToken: number;
  readonly perServer: number;
}

const HEARTBEAT_MS = 15_000;

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
    await this.#run(owner, connection, async (signal) => {
      const handle = await this.#engine.get(id);
      for await (const event of abortable(handle.events(), signal)) {
        if (event.seq <= after) continue;
        if (!connection.write(eventText(event))) await connection.drained();
        if (signal.aborted) return;
      }
    });
  }

  /** Ends the streams of a token. */
  end(owner: string): void {
    for (const stream of this.#open.get(owner) ?? []) stream.abort();
  }

  endAll(): void {
    for (const owner of this.#open.keys()) this.end(owner);
  }

  async #run(owner: string, connection: StreamConnection, send: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const own = this.#open.get(owner) ?? new Set();
    if (own.size >= this.#limits.perToken || this.count >= this.#limits.perServer)
      throw new SegnoError("STREAMS_LIMITED", `${this.#limits.perToken} streams of this token are open`);
    const ending = new AbortController();
    own.add(ending);
    this.#open.set(owner, own);
    connection.begin();
    const heartbeat = setInterval(() => connection.write(": heartbeat\n\n"), HEARTBEAT_MS);
    try {
      await send(AbortSignal.any([ending.signal, connection.signal]));
    } finally {
      clearInterval(heartbeat);
      own.delete(ending);
      if (own.size === 0) this.#open.delete(owner);
    }
  }
}

/** The text of an event in a stream. JSON has no line break, so one `data` line is enough. */
function eventText(event: WatchEvent): string {
  return `id: ${eventId(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

function eventId({ executionId, seq }: WatchEvent): string {
  return `${encodeURIComponent(executionId)}:${seq}`;
}

/** The sequence number in the id of an event of this execution. */
export function readEventId(text: string | undefined, id: string): number {
  if (text === undefined || text === "") return 0;
  const at = text.lastIndexOf(":");
  const seq = Number(text.slice(at + 1));
  if (text.slice(0, Math.max(0, at)) === encodeURIComponent(id) && /^\d{1,15}$/u.test(text.slice(at + 1))) return seq;
  throw new SegnoError("EVENT_ID_INVALID", "Last-Event-ID is not the id of an event of this execution");
}

/** Ends the iteration when the signal aborts, also while the next event is awaited. */
async function* abortable<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  const aborted = new Promise<{ readonly done: true; readonly value: undefined }>((resolve) => {
    if (signal.aborted) resolve({ done: true, value: undefined });
    signal.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    void iterator.return?.();
  }
}
