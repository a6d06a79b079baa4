// The pace: spreads many concurrent requests over ticks of the event loop, so that timers and sockets are not delayed
// until the last one.
//
//   P1. First come, first served.
//   P2. While there are few requests, each continues at once without waiting.
//   P3. A tick in which a request came always schedules the next one. A shutdown waits until the pace is at rest.

import { Fifo } from "@segno/kernel/fifo";
import type { SystemPorts } from "./system-ports.ts";

export class Pace {
  readonly #environment: Pick<SystemPorts, "defer">;
  readonly #atOnce: number;
  readonly #waiting = new Fifo<() => void>();
  readonly #idleResolvers: (() => void)[] = [];
  #served = 0;
  #isDeferred = false;

  /** `atOnce` is the number of requests served per tick. */
  constructor(environment: Pick<SystemPorts, "defer">, atOnce: number) {
    this.#environment = environment;
    this.#atOnce = atOnce;
  }

  /** Undefined if the caller may continue at once; otherwise resolves when its turn comes. */
  wait(): Promise<void> | undefined {
    this.#deferNext();
    if (this.#waiting.size === 0 && this.#served < this.#atOnce) {
      this.#served++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Resolves when no request waits and no tick is scheduled. */
  async whenIdle(): Promise<void> {
    if (this.#isDeferred) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  #deferNext(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#environment.defer(() => this.#serve());
  }

  #serve(): void {
    this.#isDeferred = false;
    for (this.#served = 0; this.#served < this.#atOnce && this.#waiting.size > 0; this.#served++)
      this.#waiting.take()!();
    if (this.#served > 0) this.#deferNext();
    else for (const resolve of this.#idleResolvers.splice(0)) resolve();
  }
}
