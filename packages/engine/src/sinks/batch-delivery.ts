// Delivers a batch of events to an HTTP server until the server has accepted it.
//
//   BD1. A batch is sent again, with growing delays or after the time that `Retry-After` states, whatever the reason: also a
//        server that answers 401 or 404 may be corrected.
//   BD2. If the server refuses the lines themselves, the batch is halved; a line that is refused alone is lost.

import { retryDelayMs, type HttpSinkOutput } from "./http-sink-output.ts";
import type { QueuedEvent } from "./outgoing-events.ts";
import type { LevelCounts } from "./sink-metrics.ts";
import type { SinkWait } from "./sink-output.ts";

/** The counters of a sink that resumes from the journal. */
export interface DeliveryCounts {
  delivered: number;
  failures: number;
  readonly dropped: LevelCounts;
}

export interface BatchDeliveryPorts {
  readonly output: Pick<HttpSinkOutput, "deliver">;
  readonly wait: SinkWait;
  readonly counts: DeliveryCounts;
  readonly report: (message: string) => void;
  /** Called before each wait for a further attempt. */
  readonly onRetry: () => void;
}

const RETRY_AFTER_MS_MAX = 3_600_000;

export class BatchDelivery {
  readonly #ports: BatchDeliveryPorts;
  /** The last request failed. */
  #isRetrying = false;

  constructor(ports: BatchDeliveryPorts) {
    this.#ports = ports;
  }

  get isRetrying(): boolean {
    return this.#isRetrying;
  }

  /** Resolves when the server has accepted the events or refused them for good, and when the signal aborts. */
  async deliver(batch: readonly QueuedEvent[], signal: AbortSignal): Promise<void> {
    const { output, counts, report, wait } = this.#ports;
    const events = batch.filter(({ line }) => line !== undefined);
    if (events.length === 0) return;
    const lines = events.map(({ line }) => line!);
    for (let attempt = 1; !signal.aborted; attempt++) {
      const answer = await output.deliver(lines, signal).catch(() => undefined);
      if (answer === undefined) return;
      this.#isRetrying = answer.kind !== "accepted";
      if (answer.kind === "accepted") return void (counts.delivered += events.length);
      counts.failures++;
      if (answer.kind === "refused" && answer.what === "lines")
        return this.#deliverParts(events, answer.reason, signal);
      report(`cannot deliver and tries again: ${answer.reason}`);
      this.#ports.onRetry();
      const retryAfterMs = answer.kind === "busy" ? answer.retryAfterMs : undefined;
      const delayMs = Math.min(retryAfterMs ?? retryDelayMs(attempt), RETRY_AFTER_MS_MAX);
      await wait(delayMs, signal).catch(() => undefined);
    }
  }

  async #deliverParts(events: readonly QueuedEvent[], reason: string, signal: AbortSignal): Promise<void> {
    const { counts, report } = this.#ports;
    const [first] = events;
    if (events.length === 1 && first !== undefined) {
      this.#isRetrying = false;
      counts.dropped.add(first.level);
      return report(`lost the event ${first.track.id}:${first.seq}: ${reason}`);
    }
    const half = Math.ceil(events.length / 2);
    await this.deliver(events.slice(0, half), signal);
    await this.deliver(events.slice(half), signal);
  }
}
