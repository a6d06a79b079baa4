// Events as the text of a stream (Server-Sent Events). JSON has no line break, so one `data` line is enough.

import type { StreamChunk, WatchEvent } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

/** All readers get the same object from the engine, so its text is made once for all of them. */
const TEXTS = new WeakMap<WatchEvent, string>();

/** The text of an event, with its id: the execution and the sequence number. */
export function eventText(event: WatchEvent): string {
  let text = TEXTS.get(event);
  if (text === undefined) {
    const id = `${encodeURIComponent(event.executionId)}:${event.seq}`;
    text = `id: ${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
    TEXTS.set(event, text);
  }
  return text;
}

/** A message of the stream itself. It has no id, because a reader cannot continue after it. */
export function messageText(name: "snapshot" | "resync" | "stream", data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A part of a stream of a step. `dropped` counts the parts that this reader was too slow for. */
export function chunkText(executionId: string, chunk: StreamChunk, dropped: number): string {
  return messageText("stream", { executionId, ...chunk, ...(dropped === 0 ? {} : { dropped }) });
}

/** The sequence number in the id of an event of this execution. */
export function readEventId(text: string | undefined, id: string): number {
  if (text === undefined || text === "") return 0;
  const at = text.lastIndexOf(":");
  const digits = text.slice(at + 1);
  if (text.slice(0, Math.max(0, at)) === encodeURIComponent(id) && /^\d{1,15}$/u.test(digits)) return Number(digits);
  throw new SegnoError("EVENT_ID_INVALID", "Last-Event-ID is not the id of an event of this execution");
}
