// The in-memory inbox of an execution: deliveries for its next turn, first in, first out. A turn often takes a thousand
// deliveries, and `Array.shift` would move the rest of the array each time.

import type { Delivery } from "./delivery.ts";

/** Consumed entries are kept until there are more than this. */
const SPENT_MAX = 64;

export class DeliveryQueue {
  #deliveries: (Delivery | undefined)[] = [];
  #head = 0;
  #externalCount = 0;

  /** How many deliveries come from outside the engine. */
  get externalCount(): number {
    return this.#externalCount;
  }

  get size(): number {
    return this.#deliveries.length - this.#head;
  }

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    if (isExternal(delivery)) this.#externalCount++;
  }

  addFirst(delivery: Delivery): void {
    if (isExternal(delivery)) this.#externalCount++;
    if (this.#head === 0) this.#deliveries.unshift(delivery);
    else this.#deliveries[--this.#head] = delivery;
  }

  take(): Delivery | undefined {
    if (this.size === 0) return undefined;
    const delivery = this.#deliveries[this.#head]!;
    if (isExternal(delivery)) this.#externalCount--;
    this.#deliveries[this.#head++] = undefined;
    if (this.size === 0 && this.#head > SPENT_MAX) this.replace([]);
    return delivery;
  }

  replace(deliveries: readonly Delivery[]): void {
    this.#deliveries = [...deliveries];
    this.#externalCount = deliveries.filter(isExternal).length;
    this.#head = 0;
  }

  all(): readonly Delivery[] {
    return this.#deliveries.slice(this.#head) as readonly Delivery[];
  }
}

function isExternal({ answer, message }: Delivery): boolean {
  return answer !== undefined || message !== undefined;
}
