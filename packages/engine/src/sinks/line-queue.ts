// Lines that wait for their delivery, in order, within a bounded number of lines and bytes (EVENT-3).
//
//   LQ1. Lines leave in the order in which they came, whatever their level.
//   LQ2. If the queue is too full, the oldest line of the lowest level is dropped: debug before info before warn before
//        error.

import { Fifo } from "@segno/kernel/fifo";
import { LOG_LEVELS, type LogLevel } from "../events/logger.ts";

export interface QueuedLine {
  readonly text: string;
  readonly level: LogLevel;
  readonly bytes: number;
}

/** The limits of a queue. */
export interface LineQueueLimits {
  readonly lines: number;
  readonly bytes: number;
}

interface OrderedLine extends QueuedLine {
  readonly order: number;
}

export class LineQueue {
  readonly #limits: LineQueueLimits;
  /** From the lowest level to the highest. */
  readonly #levels: readonly Fifo<OrderedLine>[] = LOG_LEVELS.map(() => new Fifo<OrderedLine>());
  #order = 0;
  #bytes = 0;

  constructor(limits: LineQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#levels.reduce((sum, lines) => sum + lines.size, 0);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the lines that were dropped to stay within the limits (LQ2). */
  add(text: string, level: LogLevel): readonly QueuedLine[] {
    const bytes = Buffer.byteLength(text) + 1;
    this.#levels[LOG_LEVELS.indexOf(level)]!.add({ text, level, bytes, order: this.#order++ });
    this.#bytes += bytes;
    const dropped: QueuedLine[] = [];
    while (this.size > this.#limits.lines || this.#bytes > this.#limits.bytes)
      dropped.push(this.#takeFrom(this.#levels.find((lines) => !lines.isEmpty)!));
    return dropped;
  }

  /** The oldest lines, at least one, up to this number of lines and bytes (LQ1). */
  takeBatch(limits: LineQueueLimits): readonly QueuedLine[] {
    const batch: QueuedLine[] = [];
    for (let bytes = 0; batch.length < limits.lines;) {
      const oldest = this.#oldest();
      bytes += oldest?.first?.bytes ?? 0;
      if (oldest === undefined || (batch.length > 0 && bytes > limits.bytes)) break;
      batch.push(this.#takeFrom(oldest));
    }
    return batch;
  }

  #oldest(): Fifo<OrderedLine> | undefined {
    let oldest: Fifo<OrderedLine> | undefined;
    for (const lines of this.#levels)
      if (!lines.isEmpty && (oldest === undefined || lines.first!.order < oldest.first!.order)) oldest = lines;
    return oldest;
  }

  #takeFrom(lines: Fifo<OrderedLine>): QueuedLine {
    const line = lines.take()!;
    this.#bytes -= line.bytes;
    return line;
  }
}
