// Serialises work per key: the second caller finds the result of the first, already durable.

export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }
}
