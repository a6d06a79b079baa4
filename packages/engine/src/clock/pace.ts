// The pace: work that many ask for at once is done a little in each turn of the event loop, so that timers and sockets do not
// wait until the last one is served.
//
//   P1. First come, first served.
//   P2. Whoever comes when few have come before goes on at once and waits for nothing.
//   P3. It has the next turn of the event loop called whenever somebody came in this one. Who closes everything waits until it
//       has come to rest.

import { Fifo } from "@segno/kernel/fifo";
import type { Environment } from "./environment.ts";

export class Pace {
  readonly #environment: Pick<Environment, "defer">;
  readonly #atOnce: number;
  readonly #waiting = new Fifo<() => void>();
  readonly #restWaiters: (() => void)[] = [];
  #served = 0;
  #isDeferred = false;

  /** So many are served in one turn of the event loop. */
  constructor(environment: Pick<Environment, "defer">, atOnce: number) {
    this.#environment = environment;
    this.#atOnce = atOnce;
  }

  /** Nothing when one may go on at once; otherwise resolves when it is one's turn. */
  turn(): Promise<void> | undefined {
    this.#deferNext();
    if (this.#waiting.size === 0 && this.#served < this.#atOnce) {
      this.#served++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Resolves when nobody waits, and no turn of the event loop is to come. */
  async atRest(): Promise<void> {
    if (this.#isDeferred) await new Promise<void>((resolve) => this.#restWaiters.push(resolve));
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
    else for (const tell of this.#restWaiters.splice(0)) tell();
  }
}
