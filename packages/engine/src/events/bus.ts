// The bus: events for whoever wants them (EVENT-2).
//
//   B1. Subscribers get batches, in order, after the events are durable, and never in the middle of a turn.
//   B2. A subscriber that throws or is slow disturbs nobody: each has its own buffer, the oldest are dropped when it is
//       full, and the next batch says how many. One that does not answer in time is reported; it gets its next batch when it
//       has answered.

import { SegnoError } from "@segno/kernel";
import type { CallbackLimit } from "../callbacks/callback-limit.ts";
import { isThenable } from "../callbacks/thenable.ts";
import type { Environment } from "../clock/environment.ts";
import type { WatchEvent } from "./watch-event.ts";

export interface WatchFilter {
  readonly executionId?: string;
  readonly workflow?: string;
  readonly kinds?: readonly WatchEvent["kind"][];
}

export interface WatchBatch {
  readonly events: readonly WatchEvent[];
  /** Events that this subscriber was too slow for. */
  readonly dropped: number;
}

export type WatchHandler = (batch: WatchBatch) => void | Promise<void>;

const BUFFER_MAX = 10_000;

class Subscription {
  readonly filter: WatchFilter;
  readonly #handler: WatchHandler;
  readonly #limit: Pick<CallbackLimit, "answered">;
  readonly #onError: (error: unknown) => void;
  #buffer: WatchEvent[] = [];
  #dropped = 0;
  #isBusy = false;
  #hasLeft = false;

  constructor(
    filter: WatchFilter,
    handler: WatchHandler,
    limit: Pick<CallbackLimit, "answered">,
    onError: (error: unknown) => void,
  ) {
    this.filter = filter;
    this.#handler = handler;
    this.#limit = limit;
    this.#onError = onError;
  }

  add(event: WatchEvent): void {
    if (this.#hasLeft) return;
    if (this.#buffer.length >= BUFFER_MAX) {
      this.#buffer.shift();
      this.#dropped++;
    }
    this.#buffer.push(event);
  }

  /** Whoever leaves hears nothing any more, also if it is busy with what came before. */
  leave(): void {
    this.#hasLeft = true;
    this.#buffer = [];
  }

  async flush(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#buffer.length > 0) {
      const batch: WatchBatch = { events: this.#buffer, dropped: this.#dropped };
      this.#buffer = [];
      this.#dropped = 0;
      try {
        const answer: unknown = this.#handler(batch);
        if (isThenable(answer)) await this.#heard(answer);
      } catch (error) {
        this.#onError(error);
      }
    }
    // `onError` never throws (B2), so this is always reached.
    this.#isBusy = false;
  }

  /** A batch after the next would come out of turn, so whoever takes too long is only reported. */
  async #heard(answer: PromiseLike<unknown>): Promise<void> {
    this.#limit.answered("a subscriber to events", answer).catch((error: unknown) => {
      if (isLate(error)) this.#onError(error);
    });
    await answer;
  }
}

function isLate(error: unknown): boolean {
  return error instanceof SegnoError && error.code === "CALLBACK_TIMEOUT";
}

export class Bus {
  readonly #environment: Environment;
  readonly #limit: Pick<CallbackLimit, "answered">;
  readonly #onError: (error: unknown) => void;
  readonly #subscriptions = new Set<Subscription>();
  #isDeferred = false;

  constructor(environment: Environment, limit: Pick<CallbackLimit, "answered">, onError: (error: unknown) => void) {
    this.#environment = environment;
    this.#limit = limit;
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#subscriptions.size === 0;
  }

  subscribe(filter: WatchFilter, handler: WatchHandler): () => void {
    const subscription = new Subscription(filter, handler, this.#limit, this.#onError);
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      subscription.leave();
    };
  }

  publish(events: readonly WatchEvent[]): void {
    for (const subscription of this.#subscriptions) {
      for (const event of events) if (fits(subscription.filter, event)) subscription.add(event);
    }
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#environment.defer(() => this.flush());
  }

  /** Whoever is at work on what came before gets the rest when that is done. */
  flush(): void {
    this.#isDeferred = false;
    for (const subscription of this.#subscriptions) void subscription.flush();
  }
}

function fits({ executionId, workflow, kinds }: WatchFilter, event: WatchEvent): boolean {
  if (executionId !== undefined && event.executionId !== executionId) return false;
  if (workflow !== undefined && event.workflow !== workflow) return false;
  return kinds === undefined || kinds.includes(event.kind);
}
