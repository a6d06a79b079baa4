// Events in the order in which a sink sends them, within a bounded number of events and bytes.

import { Fifo } from "@segno/kernel/fifo";
import type { LogLevel } from "../events/logger.ts";
import type { DeliveryTrack } from "./delivery-track.ts";
import { QUEUE_BYTES_MAX, type SinkBatchLimits } from "./line-sink.ts";

export interface QueuedEvent {
  readonly track: DeliveryTrack;
  readonly seq: number;
  readonly at: number;
  readonly level: LogLevel;
  /** Undefined if the event is not for this sink; only its position is saved. */
  readonly line: string | undefined;
  /** Whether the execution ends with this event. */
  readonly isEnd: boolean;
}

export class OutgoingEvents {
  readonly #eventsMax: number;
  readonly #batch: SinkBatchLimits;
  readonly #events = new Fifo<QueuedEvent>();
  #bytes = 0;

  constructor(eventsMax: number, batch: SinkBatchLimits) {
    this.#eventsMax = eventsMax;
    this.#batch = batch;
  }

  get size(): number {
    return this.#events.size;
  }

  get first(): QueuedEvent | undefined {
    return this.#events.first;
  }

  get hasRoom(): boolean {
    return this.#events.size < this.#eventsMax && this.#bytes < QUEUE_BYTES_MAX;
  }

  get hasBatch(): boolean {
    return this.#events.size >= this.#batch.lines || this.#bytes >= this.#batch.bytes;
  }

  add(event: QueuedEvent): void {
    this.#events.add(event);
    this.#bytes += bytesOf(event);
  }

  /** The first events, at least one, as many as fit into a request. They stay in the queue. */
  batch(): readonly QueuedEvent[] {
    const batch: QueuedEvent[] = [];
    let [lines, bytes] = [0, 0];
    for (let each = 0; each < this.#events.size; each++) {
      const event = this.#events.peek(each)!;
      const added = bytesOf(event);
      if (added > 0 && ++lines > 1 && (lines > this.#batch.lines || bytes + added > this.#batch.bytes)) break;
      bytes += added;
      batch.push(event);
    }
    return batch;
  }

  /** Removes events that are delivered: the result of `batch`. */
  drop(batch: readonly QueuedEvent[]): void {
    for (const event of batch) this.#bytes -= bytesOf(event);
    this.#events.drop(batch.length);
  }
}

function bytesOf({ line }: QueuedEvent): number {
  return line === undefined ? 0 : Buffer.byteLength(line) + 1;
}
