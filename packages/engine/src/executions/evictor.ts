// Takes executions out of memory.
//
// | method            | the execution                     | its attempts | its callers    |
// |-------------------|-----------------------------------|--------------|----------------|
// | `evictIdle`       | only waits; a timer loads it      | it has none  | keep waiting   |
// | `evict`           | will not continue here            | keep running | are rejected   |
// | `abortAndEvict`   | is broken, or not owned here      | are aborted  | are rejected   |
// | `onOwnershipLost` | as above, then loaded again       | are aborted  | are rejected   |

import type { SegnoError } from "@segno/kernel";
import type { MessageId } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { TurnLoop } from "../turn/turn-loop.ts";
import type { Evictable, EvictionOptions } from "./idle-eviction.ts";
import type { LiveExecutions } from "./live-executions.ts";
import type { Loader } from "./loader.ts";

/** The dispatcher, as far as eviction uses it. */
export interface AttemptStopper {
  forceStopAttempts(execution: LiveExecution, reason: string): void;
}

/** The inbox, as far as eviction uses it. */
export interface MessageReturn {
  /** The messages were not consumed. They are still in the inbox. */
  nack(messages: readonly MessageId[]): void;
}

export interface EvictorPorts {
  readonly live: LiveExecutions;
  readonly loop: TurnLoop;
  readonly loader: Loader;
  readonly attempts: AttemptStopper;
  readonly report: (error: unknown, execution: LiveExecution["id"]) => void;
}

const RETRY_MS = 200;

const NO_INBOX: MessageReturn = { nack: () => undefined };

export class Evictor {
  readonly #ports: EvictorPorts;
  #inbox: MessageReturn = NO_INBOX;

  constructor(ports: EvictorPorts) {
    this.#ports = ports;
  }

  /** Messages that an execution had not consumed go back to this inbox. */
  connect(inbox: MessageReturn): void {
    this.#inbox = inbox;
  }

  /** An execution that is being loaded stays. */
  evictIdle(options: EvictionOptions): readonly Evictable[] {
    const evictable = this.#ports.live.takeEvictable(options);
    for (const { execution } of evictable) {
      this.#ports.loop.detach(execution);
      this.#ports.live.remove(execution);
    }
    return evictable;
  }

  /** Rejects the callers with the error, and gives unconsumed messages back to the inbox. */
  evict(execution: LiveExecution, error: SegnoError): void {
    const deliveries = [...(execution.turn?.consumed ?? []), ...execution.deliveries.all()];
    this.#ports.loop.detach(execution);
    this.#ports.live.removeAndNotify(execution, undefined);
    for (const { reject } of deliveries) reject?.(error);
    this.#inbox.nack(deliveries.flatMap(({ message }) => (message === undefined ? [] : [message])));
  }

  /** Aborts the attempts, whose outcomes are ignored, and rejects the callers with the error. */
  abortAndEvict(execution: LiveExecution, reason: string, error: SegnoError = evictedError(execution, reason)): void {
    this.#ports.attempts.forceStopAttempts(execution, reason);
    this.evict(execution, error);
  }

  /** A process that still owns the store must run every execution in it, so it loads this one under a higher epoch. */
  onOwnershipLost(execution: LiveExecution): void {
    const { live, loader, report } = this.#ports;
    const { id } = execution;
    this.abortAndEvict(execution, "this process no longer owns it");
    const claim = (): void => void loader.claim(id).catch((error: unknown) => report(error, id));
    if (loader.isOwned) live.setWakeTimerAfter(id, RETRY_MS, claim);
  }
}

function evictedError({ id }: LiveExecution, reason: string): StoreFault {
  return new StoreFault("STORE_FENCED", `the execution ${id} was evicted: ${reason}`);
}
