// The inbox of an execution in memory: what waits for its next turn, first in, first out. Turns of a thousand functions that
// ended together are common, and taking the first of an array moves all the others.

import type { Delivery } from "./delivery.ts";

/** Places of what was taken are kept until there are so many. */
const SPENT_MAX = 64;

export class Inbox {
  #deliveries: (Delivery | undefined)[] = [];
  #head = 0;
  #wishes = 0;

  /** How many of them somebody outside asked for. */
  get wishes(): number {
    return this.#wishes;
  }

  get size(): number {
    return this.#deliveries.length - this.#head;
  }

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    if (isWish(delivery)) this.#wishes++;
  }

  /** It comes before everything else. */
  addFirst(delivery: Delivery): void {
    if (isWish(delivery)) this.#wishes++;
    if (this.#head === 0) this.#deliveries.unshift(delivery);
    else this.#deliveries[--this.#head] = delivery;
  }

  take(): Delivery | undefined {
    if (this.size === 0) return undefined;
    const delivery = this.#deliveries[this.#head]!;
    if (isWish(delivery)) this.#wishes--;
    this.#deliveries[this.#head++] = undefined;
    if (this.size === 0 && this.#head > SPENT_MAX) this.replace([]);
    return delivery;
  }

  replace(deliveries: readonly Delivery[]): void {
    this.#deliveries = [...deliveries];
    this.#wishes = deliveries.filter(isWish).length;
    this.#head = 0;
  }

  all(): readonly Delivery[] {
    return this.#deliveries.slice(this.#head) as readonly Delivery[];
  }
}

function isWish({ answer, message }: Delivery): boolean {
  return answer !== undefined || message !== undefined;
}
