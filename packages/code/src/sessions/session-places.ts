/** A limited number of places; who comes when all are taken waits in order. The limit may change at any time. */
export class SessionPlaces {
  readonly #max: () => number;
  readonly #waiting: (() => void)[] = [];
  taken = 0;

  constructor(max: () => number) {
    this.#max = max;
  }

  /** Gives back how to leave; a second call has no effect. Rejects with the reason of the signal when it aborts. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.taken < this.#max() && this.#waiting.length === 0) this.taken++;
    else await this.#wait(signal);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.taken--;
      this.#admit();
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = (): void => {
      signal?.removeEventListener("abort", stop);
      this.taken++;
      resolve();
    };
    const stop = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(give), 1);
      reject(signal!.reason as Error);
    };
    this.#waiting.push(give);
    signal?.addEventListener("abort", stop, { once: true });
    // The limit may have grown since somebody left.
    this.#admit();
    await promise;
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.taken < this.#max()) this.#waiting.shift()!();
  }
}
