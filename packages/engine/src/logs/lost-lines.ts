// Counts lost lines per attempt until a mark can be written for them.
//
//   C1. If a mark is lost itself, its count is added to the next one, so no loss is forgotten.
//   C2. The number of attempts with counts is limited, because many marks would not be read.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { LogLine } from "../store/step-logs.ts";

const ATTEMPTS_MAX = 10_000;
/** Counts empty lines as well. */
const LINE_BREAK_BYTES = 1;

interface Loss {
  readonly execution: ExecutionId;
  /** The first lost line; it identifies the attempt. */
  readonly line: LogLine;
  bytes: number;
}

export interface LossMark {
  readonly execution: ExecutionId;
  readonly mark: LogLine;
}

export class LostLines {
  readonly #losses = new Map<string, Loss>();

  get size(): number {
    return this.#losses.size;
  }

  /** Whether the attempt has lost lines without a mark yet. */
  has(execution: ExecutionId, line: LogLine): boolean {
    return this.#losses.size > 0 && this.#losses.has(attemptKey(execution, line));
  }

  add(execution: ExecutionId, line: LogLine): void {
    const key = attemptKey(execution, line);
    const bytes = line.cut?.bytes ?? Buffer.byteLength(line.text) + LINE_BREAK_BYTES;
    const loss = this.#losses.get(key);
    if (loss !== undefined) loss.bytes += bytes;
    else if (this.#losses.size < ATTEMPTS_MAX) this.#losses.set(key, { execution, line, bytes });
  }

  takeAll(now: EpochMs): LossMark[] {
    const marks = Array.from(this.#losses.values(), (loss) => toLossMark(loss, now));
    this.#losses.clear();
    return marks;
  }
}

function toLossMark({ execution, line, bytes }: Loss, now: EpochMs): LossMark {
  const { step, attempt, stream } = line;
  return { execution, mark: { step, attempt, stream, at: now, text: "", cut: { kind: "lost", bytes } } };
}

/** Names of steps and ids of executions contain no line breaks. */
function attemptKey(execution: ExecutionId, { step, attempt }: LogLine): string {
  return `${attempt}\n${step}\n${execution}`;
}
