// Waits between attempts to reach a server that has gone away: longer each time, and not for ever.

import { sleep } from "./sleep.ts";

const FIRST_MS = 100;
const LONGEST_MS = 5000;
const PATIENCE_DEFAULT_MS = 60_000;

export class Reconnection {
  readonly #patienceMs: number;
  #attempts = 0;
  /** The time that was waited since the last contact. */
  #waitedMs = 0;

  constructor(patienceMs: number = PATIENCE_DEFAULT_MS) {
    this.#patienceMs = patienceMs;
  }

  /** The server has sent something. */
  reset(): void {
    this.#attempts = 0;
    this.#waitedMs = 0;
  }

  /** Throws the error if the patience is at its end. */
  async wait(error: unknown, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waitedMs >= this.#patienceMs) throw error;
    const ms = Math.min(FIRST_MS * 2 ** this.#attempts, LONGEST_MS, this.#patienceMs - this.#waitedMs);
    this.#attempts++;
    this.#waitedMs += ms;
    // Many readers of one server do not come back at the same moment.
    await sleep(ms * (0.5 + Math.random() / 2), signal);
  }
}
