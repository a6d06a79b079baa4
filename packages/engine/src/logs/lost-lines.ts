// Lines that could not be kept, counted by attempt until a mark can be put in their place.
//
//   C1. What a lost mark stood for is counted with the rest: no loss is forgotten because its mark was lost.
//   C2. Of many attempts only so many are remembered; beyond that nobody would read the marks.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { LogLine } from "../store/step-logs.ts";

const ATTEMPTS_MAX = 10_000;
/** So that lines which are empty count as well. */
const LINE_BREAK_BYTES = 1;

interface Loss {
  readonly execution: ExecutionId;
  /** The first that was lost: it says whose they are. */
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

  /** Whether its attempt has lost something that no mark stands for yet. */
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

/** Steps have no line breaks in their names, and neither have executions that anybody can find. */
function attemptKey(execution: ExecutionId, { step, attempt }: LogLine): string {
  return `${attempt}\n${step}\n${execution}`;
}
