// The deliveries of an execution that wait for its next turn, first in, first out. The queue counts the deliveries that came
// from outside.

import { Fifo } from "@segno/kernel/fifo";
import type { Delivery } from "./delivery.ts";

export class DeliveryQueue {
  readonly #deliveries = new Fifo<Delivery>();
  #externalCount = 0;

  /** The number of deliveries that a caller waits for or that came as a message. */
  get externalCount(): number {
    return this.#externalCount;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  add(delivery: Delivery): void {
    this.#deliveries.add(delivery);
    if (isExternal(delivery)) this.#externalCount++;
  }

  /** Adds a delivery before all others. */
  addFirst(delivery: Delivery): void {
    this.#deliveries.addFirst(delivery);
    if (isExternal(delivery)) this.#externalCount++;
  }

  take(): Delivery | undefined {
    const delivery = this.#deliveries.take();
    if (delivery !== undefined && isExternal(delivery)) this.#externalCount--;
    return delivery;
  }

  replace(deliveries: readonly Delivery[]): void {
    this.#deliveries.clear();
    this.#externalCount = 0;
    for (const delivery of deliveries) this.add(delivery);
  }

  all(): readonly Delivery[] {
    return this.#deliveries.toArray();
  }
}

function isExternal({ answer, message }: Delivery): boolean {
  return answer !== undefined || message !== undefined;
}
