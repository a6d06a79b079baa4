// The capacity for new executions: a semaphore over the executions in memory.
//
//   S4. A start reserves its capacity at once, so that concurrent starts do not all see the same free capacity.
//   S5. Starts that wait get capacity in order of arrival. Idle executions are evicted to make room for them.

import { Fifo } from "@segno/kernel/fifo";

/** Evicts idle executions, and loads them again when they are due. */
export interface IdleEvictor {
  /** Returns the number of evicted executions. */
  evictIdle(atMost: number): number;
}

export interface StartCapacityPorts {
  /** The executions in memory. */
  readonly live: { readonly size: number };
  readonly evictor: IdleEvictor;
  /** The maximum number of executions in memory. */
  readonly liveMax: number;
}

export class StartCapacity {
  readonly #ports: StartCapacityPorts;
  /** Starts that wait for capacity, in order of arrival. */
  readonly #waiting = new Fifo<() => void>();
  /** Capacity reserved by starts whose executions are not in memory yet. */
  #reserved = 0;
  #isNotifying = false;
  #isClosed = false;

  constructor(ports: StartCapacityPorts) {
    this.#ports = ports;
  }

  /** Resolves when capacity for one execution is reserved, or when the engine closes. */
  async reserve(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#waiting.size === 0 && this.#isAvailable()) this.#reserved++;
    else await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** The execution is in memory now, or never will be. */
  release(): void {
    this.#reserved--;
  }

  /** Called when an execution leaves memory or becomes idle, because there may be capacity now. */
  onCapacity(): void {
    // Eviction calls this method for every evicted execution.
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    while (this.#waiting.size > 0 && this.#isAvailable()) {
      this.#reserved++;
      this.#waiting.take()!();
    }
    this.#isNotifying = false;
  }

  /** A load has exceeded the limit. */
  onFull(): void {
    this.#evict();
  }

  /** Starts that wait, and those that come later, continue and find the engine closed. */
  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting.takeAll()) wake();
  }

  #isAvailable(): boolean {
    return this.#ports.live.size + this.#reserved < this.#ports.liveMax || this.#evict() > 0;
  }

  /** Evicts a tenth, so that not every start evicts. */
  #evict(): number {
    return this.#ports.evictor.evictIdle(Math.ceil(this.#ports.liveMax / 10));
  }
}
