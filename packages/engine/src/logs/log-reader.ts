// Reads logs page by page, and optionally follows them until the execution has ended.
//
//   E1. Each line is returned once and in order, across all pages.
//   E2. A follower misses no line: it asks whether the execution has ended before it reads the log. The last lines may
//       be written a moment after the end, so the reader stops only after two more empty reads.

import type { LogRequest, StepLogs, StoredLine } from "../store/step-logs.ts";

export interface LogReading {
  /** Continues until the execution has ended. */
  readonly follow?: boolean;
  /** Ends the reading without an error. */
  readonly signal?: AbortSignal;
  isEnded(): Promise<boolean>;
  /** The pause between two reads. */
  wait(): Promise<void>;
}

const PAGE_LINES = 500;
/** A batch of lines is written 100 ms after its first line, and reads have the same interval. */
const LOOKS_AFTER_END = 2;

export async function* readLogs(
  store: Pick<StepLogs, "readLogs">,
  request: Omit<LogRequest, "limit">,
  reading: LogReading,
): AsyncGenerator<StoredLine, void, undefined> {
  const { follow = false, signal } = reading;
  let after = request.after ?? 0;
  // Counts reads since the end; the read that noticed the end does not count.
  for (let quietLooks = -1; quietLooks < LOOKS_AFTER_END;) {
    const isOver = !follow || (await reading.isEnded());
    const before = after;
    for await (const line of readPages(store, { ...request, after }, signal)) {
      after = line.seq;
      yield line;
    }
    if (!follow || isAborted(signal)) return;
    quietLooks = isOver ? (after === before ? quietLooks + 1 : 0) : -1;
    if (quietLooks < LOOKS_AFTER_END) await reading.wait();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function* readPages(
  store: Pick<StepLogs, "readLogs">,
  request: Omit<LogRequest, "limit">,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredLine, void, undefined> {
  for (let after = request.after ?? 0; ;) {
    const page = await store.readLogs({ ...request, after, limit: PAGE_LINES });
    for (const line of page) {
      if (isAborted(signal)) return;
      yield line;
    }
    if (page.length < PAGE_LINES) return;
    after = page.at(-1)!.seq;
  }
}
