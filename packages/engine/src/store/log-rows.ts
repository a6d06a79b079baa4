// Row format of step logs: one row holds many lines, as one body that passes through the codec like any other
// (DATA-11).
//
//   R1. A row has about 64 KiB of text. A larger row would have to be read whole for every page that begins inside it.
//   R2. Consecutive lines that differ only in their text share the other fields. Many short lines then take little more
//       space than their text.
//   R3. Bodies are JSON, so a row can hold any text: U+0000 and unpaired surrogates are escaped.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Codec } from "./codec.ts";
import { encodeProgress, type ProgressRow } from "./step-progress.ts";
import { StoreFault } from "./store-fault.ts";
import type { LogCut, LogLine, LogRequest, LogStream, NewLogs, StoredLine } from "./step-logs.ts";

export interface LogRow {
  readonly count: number;
  /** The step, if all lines belong to one step. A reader that wants another step skips the row. */
  readonly step: string | null;
  readonly body: string;
}

export interface StoredRow extends LogRow {
  /** The sequence number of the last line. */
  readonly last: number;
}

/** The encoded rows that one execution appends. */
export interface LogRows {
  readonly execution: ExecutionId;
  readonly rows: readonly LogRow[];
  readonly progress: readonly ProgressRow[];
}

/** Consecutive lines that differ only in their text. A cut line forms its own run. */
type LogRun = [step: string, attempt: number, stream: LogStream, at: EpochMs, texts: string[], cut?: LogCut];

const ROW_CHARS = 64 * 1024;
/** The approximate size of a line without its text. It bounds the row size for empty lines, too. */
const LINE_CHARS = 8;

export function encodeLogRows({ execution, lines, progress = [] }: NewLogs, codec: Codec): LogRows {
  const rows: LogRow[] = [];
  for (let first = 0, next: number; first < lines.length; first = next) {
    next = endOfRow(lines, first);
    rows.push(encodeRow(lines.slice(first, next), codec));
  }
  return { execution, rows, progress: progress.map((each) => encodeProgress(each, codec)) };
}

/** Decodes the requested lines from rows in ascending order. It takes only as many rows as it needs. */
export function linesIn(rows: Iterable<StoredRow>, request: LogRequest, codec: Codec): StoredLine[] {
  const { step, after = 0, limit } = request;
  const lines: StoredLine[] = [];
  if (limit <= 0) return lines;
  for (const row of rows) {
    if (row.last <= after || (step !== undefined && row.step !== null && row.step !== step)) continue;
    for (const line of storedLines(row, codec)) {
      if (line.seq <= after || (step !== undefined && line.step !== step)) continue;
      if (lines.push(line) === limit) return lines;
    }
  }
  return lines;
}

function endOfRow(lines: readonly LogLine[], first: number): number {
  let end = first;
  for (let chars = 0; end < lines.length && chars < ROW_CHARS; end++) chars += lines[end]!.text.length + LINE_CHARS;
  return end;
}

function encodeRow(lines: readonly LogLine[], codec: Codec): LogRow {
  const runs: LogRun[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && continues(run, line)) run[4].push(line.text);
    else runs.push(toRun(line));
  }
  const step = lines[0]?.step;
  const isOfOne = lines.every((line) => line.step === step);
  return { count: lines.length, step: isOfOne ? (step ?? null) : null, body: codec.encode(JSON.stringify(runs)) };
}

function toRun({ step, attempt, stream, at, text, cut }: LogLine): LogRun {
  return cut === undefined ? [step, attempt, stream, at, [text]] : [step, attempt, stream, at, [text], cut];
}

function continues([step, attempt, stream, at, , before]: LogRun, line: LogLine): boolean {
  return (
    line.cut === undefined &&
    before === undefined &&
    line.step === step &&
    line.attempt === attempt &&
    line.stream === stream &&
    line.at === at
  );
}

/** A body that is no text, or text of another shape, is a log that cannot be read. */
function storedLines({ last, count, body }: StoredRow, codec: Codec): StoredLine[] {
  let seq = last - count;
  try {
    return (JSON.parse(codec.decode(body)) as LogRun[]).flatMap(([step, attempt, stream, at, texts, cut]) =>
      texts.map((text) => {
        const line = { seq: ++seq, step, attempt, stream, at, text };
        return cut === undefined ? line : { ...line, cut };
      }),
    );
  } catch (cause) {
    throw new StoreFault("STORE_CORRUPT", `the store: a log cannot be read (${String(cause)})`, { cause });
  }
}
