// The worst stall: the longest time in which the event loop did not turn, so that no timer and no socket was heard.
//
// A turn is seen by an immediate that sets itself again. `monitorEventLoopDelay` measures between its own timers, and says
// nothing of what came before the first or after the last of them: a round that runs in microtasks from beginning to end
// would show no delay at all. Here the time up to the first turn and from the last one counts as well. What the caller does
// before it gives way for the first time is its own: a loop of 100,000 calls stalls whatever it calls.

class StallProbe {
  #worstMs = 0;
  #seenAt = performance.now();
  #next = setImmediate(() => this.#turn());

  /** Ends it, and says what was worst. */
  stop(): number {
    clearImmediate(this.#next);
    this.#see();
    return this.#worstMs;
  }

  #turn(): void {
    this.#see();
    this.#next = setImmediate(() => this.#turn());
  }

  #see(): void {
    const now = performance.now();
    this.#worstMs = Math.max(this.#worstMs, now - this.#seenAt);
    this.#seenAt = now;
  }
}

export interface Measured {
  readonly ms: number;
  readonly stallMs: number;
  /** How long the caller took before it gave way for the first time. */
  readonly callMs: number;
}

export async function measured(work: () => unknown): Promise<Measured> {
  const start = performance.now();
  const underWay = work();
  const callMs = performance.now() - start;
  const probe = new StallProbe();
  await underWay;
  const ms = performance.now() - start;
  return { ms, stallMs: probe.stop(), callMs };
}

export function stallNote(stallMs: number): string {
  return `worst stall ${stallMs.toFixed(1)} ms`;
}
