// The event bus: delivers events to subscribers (EVENT-2).
//
//   B1. Subscribers get batches, in order, after the events are durable, and never during a turn.
//   B2. A subscriber that throws or is slow affects no other: each has its own buffer. When the buffer is full, the
//       oldest events are dropped, and the next batch states how many. A subscriber that does not answer in time is
//       reported; it gets its next batch after it has answered.
//   B3. A subscriber of one execution costs nothing while other executions run.

import { segnoCode } from "../checks/segno-code.ts";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { isThenable } from "../checks/thenable.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import { runOutsideSteps } from "./console-capture.ts";
import type { WatchEvent } from "./watch-event.ts";

/** The events that a subscriber gets. Without a field, all of them. */
export interface WatchFilter {
  /** Only events of this execution. */
  readonly executionId?: string;
  /** Only events of executions of this workflow. */
  readonly workflow?: string;
  /** Only events of these kinds. */
  readonly kinds?: readonly WatchEvent["kind"][];
}

/** The events that a subscriber gets in one call. */
export interface EventBatch {
  /** The events, oldest first. */
  readonly events: readonly WatchEvent[];
  /** The number of events that this subscriber was too slow for. */
  readonly dropped: number;
}

/** Called with batches of events. The next batch waits until the returned promise has settled. */
export type WatchHandler = (batch: EventBatch) => void | Promise<void>;

const BUFFER_MAX = 10_000;

/** The events that all subscribers together were too slow for. */
interface DropCount {
  total: number;
}

interface SubscriptionPorts {
  readonly limit: Pick<CallbackLimit, "awaitResult">;
  readonly onError: (error: unknown) => void;
  readonly drops: DropCount;
}

class EventSubscription {
  readonly filter: WatchFilter;
  readonly #handler: WatchHandler;
  readonly #limit: Pick<CallbackLimit, "awaitResult">;
  readonly #onError: (error: unknown) => void;
  readonly #drops: DropCount;
  #buffer: WatchEvent[] = [];
  #dropped = 0;
  #isBusy = false;
  #isClosed = false;

  constructor(filter: WatchFilter, handler: WatchHandler, { limit, onError, drops }: SubscriptionPorts) {
    this.filter = filter;
    this.#handler = handler;
    this.#limit = limit;
    this.#onError = onError;
    this.#drops = drops;
  }

  /** Returns true if the buffer was empty before. */
  add(event: WatchEvent): boolean {
    if (this.#isClosed) return false;
    if (this.#buffer.length < BUFFER_MAX) return this.#buffer.push(event) === 1;
    // A ring buffer: the newest events overwrite the oldest ones, because moving all of them would take longer than
    // delivering them.
    this.#drops.total++;
    this.#buffer[this.#dropped++ % BUFFER_MAX] = event;
    return false;
  }

  /** After `leave` the subscriber gets nothing more, even if it is still busy with a batch. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = [];
  }

  async flush(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#buffer.length > 0) {
      const batch = this.#takeBatch();
      try {
        const result: unknown = runOutsideSteps(() => this.#handler(batch));
        if (isThenable(result)) await this.#awaitSubscriber(result);
      } catch (error) {
        this.#onError(error);
      }
    }
    // `onError` never throws (B2), so this line is always reached.
    this.#isBusy = false;
  }

  #takeBatch(): EventBatch {
    const [buffer, dropped] = [this.#buffer, this.#dropped];
    const oldest = dropped % BUFFER_MAX;
    this.#buffer = [];
    this.#dropped = 0;
    return { events: oldest === 0 ? buffer : [...buffer.slice(oldest), ...buffer.slice(0, oldest)], dropped };
  }

  /** Another batch would arrive out of order, so a slow subscriber is only reported. */
  async #awaitSubscriber(result: PromiseLike<unknown>): Promise<void> {
    this.#limit.awaitResult("a subscriber to events", result).catch((error: unknown) => {
      if (isLate(error)) this.#onError(error);
    });
    await result;
  }
}

function isLate(error: unknown): boolean {
  return segnoCode(error) === "CALLBACK_TIMEOUT";
}

export class Bus {
  readonly #environment: SystemPorts;
  readonly #ports: SubscriptionPorts;
  /** Subscribers of more than one execution. */
  readonly #general = new Set<EventSubscription>();
  readonly #byExecution = new Map<string, Set<EventSubscription>>();
  /** Subscribers with undelivered events. */
  #pending: EventSubscription[] = [];
  #isDeferred = false;

  constructor(environment: SystemPorts, limit: Pick<CallbackLimit, "awaitResult">, onError: (error: unknown) => void) {
    this.#environment = environment;
    this.#ports = { limit, onError, drops: { total: 0 } };
  }

  /** The number of events that subscribers were too slow for. */
  get dropped(): number {
    return this.#ports.drops.total;
  }

  hasSubscriber(executionId: string): boolean {
    return this.#general.size > 0 || this.#byExecution.has(executionId);
  }

  subscribe(filter: WatchFilter, handler: WatchHandler): () => void {
    const subscription = new EventSubscription(filter, handler, this.#ports);
    const { executionId } = filter;
    const subscriptions = executionId === undefined ? this.#general : (this.#byExecution.get(executionId) ?? new Set());
    subscriptions.add(subscription);
    if (executionId !== undefined) this.#byExecution.set(executionId, subscriptions);
    return () => {
      subscriptions.delete(subscription);
      if (executionId !== undefined && subscriptions.size === 0 && this.#byExecution.get(executionId) === subscriptions)
        this.#byExecution.delete(executionId);
      subscription.close();
    };
  }

  /** Publishes events of one execution. */
  publish(executionId: string, events: readonly WatchEvent[]): void {
    this.#offer(this.#general, events);
    this.#offer(this.#byExecution.get(executionId) ?? NO_SUBSCRIBERS, events);
    if (this.#isDeferred || this.#pending.length === 0) return;
    this.#isDeferred = true;
    this.#environment.defer(() => this.flush());
  }

  #offer(subscriptions: ReadonlySet<EventSubscription>, events: readonly WatchEvent[]): void {
    for (const subscription of subscriptions)
      for (const event of events)
        if (fits(subscription.filter, event) && subscription.add(event)) this.#pending.push(subscription);
  }

  /** A busy subscriber gets its batch when it is done. */
  flush(): void {
    this.#isDeferred = false;
    const pending = this.#pending;
    this.#pending = [];
    for (const subscription of pending) void subscription.flush();
  }
}

const NO_SUBSCRIBERS: ReadonlySet<EventSubscription> = new Set();

function fits({ executionId, workflow, kinds }: WatchFilter, event: WatchEvent): boolean {
  if (executionId !== undefined && event.executionId !== executionId) return false;
  if (workflow !== undefined && event.workflow !== workflow) return false;
  return kinds === undefined || kinds.includes(event.kind);
}
