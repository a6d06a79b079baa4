// Feeds the events of one execution to one stream of the configuration (CODE-13, EVENT-3).
//
//   SF1. A place is saved after each event, so a process that goes on with the execution feeds the rest.
//   SF2. A file has each event once, also after a crash: its last line decides. Other streams may get the last event before
//        a crash twice; it has the same id.
//   SF3. A stream that fails does not disturb the execution, nor other streams.

import { openSink, type Engine, type SinkOptions, type SinkPorts } from "@segno/engine";
import { codeEvents } from "./event-feed.ts";
import { toRecord } from "./event-record.ts";
import { fileSize, isLater, lastEventIn, type StreamPlace } from "./stream-place.ts";

export interface StreamFeedOptions {
  readonly executionId: string;
  readonly stream: SinkOptions;
  readonly place: StreamPlace;
  readonly save: (place: StreamPlace) => Promise<void>;
  readonly ports?: SinkPorts;
}

/** Resolves when the execution has ended and the stream has all events, or when the engine is closed. */
export async function feedStream(engine: Engine, options: StreamFeedOptions): Promise<void> {
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
