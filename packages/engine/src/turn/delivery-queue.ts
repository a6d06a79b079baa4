// The inbox of an execution in memory: what waits for its next turn, first in, first out. Turns of a thousand functions that
// ended together are common, and taking the first of an array moves all the others.

import type { Delivery } from "./delivery.ts";

/** Places of what was taken are kept until there are so many. */
const SPENT_MAX = 64;

export class DeliveryQueue {
  #deliveries: (Delivery | undefined)[] = [];
  #head = 0;
  #externalCount = 0;

  /** How many of them somebody outside asked for. */
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

  /** It comes before everything else. */
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
