// A seeded random number generator: small, fast, and good enough for choices. It is not for secrets.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
    for (let round = 0; round < 4; round++) this.next();
  }

  /** 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    return count <= 1 ? 0 : this.next() % count;
  }

  /** Both ends included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** True with this probability, in percent. */
  percent(random: number): boolean {
    return random > 0 && this.next() % 10_000 < random * 100;
  }
}
