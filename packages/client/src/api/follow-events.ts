// Follows the events of an execution over any number of connections (HTTP-5).
//
//   F1. Every event comes once and in order: after a lost connection the server is asked for what follows the last event.
//   F2. The end of a stream does not say that the execution has ended: the server may be closing. The execution says it.

import { isTerminalStatus, SegnoError } from "@segno/kernel";

import { bodyLines } from "../http/body-lines.ts";
import { isTransient, type Connection } from "../http/connection.ts";
import { Reconnection } from "../http/reconnection.ts";
import { isAborted } from "../http/sleep.ts";
import { sentEvents } from "../http/server-sent-events.ts";
import type { ApiExecution } from "../model/api-execution.ts";
import type { ApiEvent } from "../model/api-inspection.ts";
import type { ApiEventsOptions } from "../model/call-options.ts";
import { executionPath } from "./paths.ts";

/** The server sends a heartbeat every 15 seconds. */
const SILENCE_MS = 45_000;
const CLOSED = new SegnoError("SERVER_UNREACHABLE", "the server closed the stream of events");

export async function* followEvents(
  connection: Connection,
  id: string,
  { after = 0, signal }: ApiEventsOptions,
  reconnectMs: number | undefined,
): AsyncGenerator<ApiEvent> {
  const reconnection = new Reconnection(reconnectMs);
  let last = after;
  while (!isAborted(signal)) {
    let failure: unknown = CLOSED;
    try {
      for await (const event of oneStream(connection, id, last, signal)) {
        reconnection.reset();
        last = event.seq;
        yield event;
      }
      if (await hasEnded(connection, id, last, signal)) return;
    } catch (error) {
      if (isAborted(signal)) return;
      if (!isTransient(error)) throw error;
      failure = error;
    }
    await reconnection.wait(failure, signal);
  }
}

/** The events of one connection that follow the last one. It ends early if the server left some out. */
async function* oneStream(
  connection: Connection,
  id: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ApiEvent> {
  const response = await connection.send({
    path: executionPath(id, "events"),
    headers: {
      accept: "text/event-stream",
      ...(after === 0 ? {} : { "last-event-id": `${encodeURIComponent(id)}:${after}` }),
    },
    signal,
  });
  let last = after;
  for await (const { id: eventId, data } of sentEvents(bodyLines(response, { silenceMs: SILENCE_MS, signal }))) {
    // Parts of streams, which are not in the journal, have no id.
    if (eventId === undefined) continue;
    const event = JSON.parse(data) as ApiEvent;
    if (event.seq <= last) continue;
    if (event.seq > last + 1) return;
    last = event.seq;
    yield event;
  }
}

async function hasEnded(
  connection: Connection,
  id: string,
  last: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { status, seq } = await connection.json<ApiExecution>({ path: executionPath(id), signal });
  return isTerminalStatus(status) && seq <= last;
}
