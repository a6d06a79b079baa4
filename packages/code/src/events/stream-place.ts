// How far a stream has got with the events of one execution. The ids of events are in order: `<workflow>:<seq>:<index>`.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";

export interface StreamPlace {
  /** The last event that the stream has got. */
  readonly eventId?: string;
  /** The size of the file of the stream after that event. */
  readonly size?: number;
}

/** Whether an event comes after another one of the same execution. */
export function isLater(eventId: string, other: string | undefined): boolean {
  if (other === undefined) return true;
  const [[seq, index], [otherSeq, otherIndex]] = [orderOf(eventId), orderOf(other)];
  return seq === otherSeq ? index > otherIndex : seq > otherSeq;
}

function orderOf(eventId: string): readonly [number, number] {
  const [seq = 0, index = 0] = eventId.split(":").slice(-2).map(Number);
  return [seq, index];
}

/**
 * The last event of an execution in a file. Only lines after `place` are read: before them the file has nothing new. A file
 * that became shorter is another one, and is read from its beginning, after the rest of the one that was rotated away.
 */
export async function lastEventIn(
  file: string,
  executionId: string,
  { eventId, size = 0 }: StreamPlace,
): Promise<string | undefined> {
  if (size <= (await fileSize(file))) return await lastEventFrom(file, size, executionId, eventId);
  const rotated = await lastEventFrom(`${file}.1`, size, executionId, eventId);
  return await lastEventFrom(file, 0, executionId, rotated);
}

async function lastEventFrom(
  file: string,
  start: number,
  executionId: string,
  eventId: string | undefined,
): Promise<string | undefined> {
  let last = eventId;
  if ((await fileSize(file)) <= start) return last;
  const lines = createInterface({ input: createReadStream(file, { start }) });
  for await (const line of lines) {
    const found = line.includes(executionId) ? eventIdOf(line, executionId) : undefined;
    if (found !== undefined && isLater(found, last)) last = found;
  }
  return last;
}

export async function fileSize(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Undefined for a line of another execution, or one that a crash has cut. */
function eventIdOf(line: string, executionId: string): string | undefined {
  try {
    const { workflowId, eventId } = JSON.parse(line) as { readonly workflowId?: unknown; readonly eventId?: unknown };
    return workflowId === executionId && typeof eventId === "string" ? eventId : undefined;
  } catch {
    return undefined;
  }
}
