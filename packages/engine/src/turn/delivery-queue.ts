// The deliveries for the next turn of an execution, first in, first out.

import { Fifo } from "@segno/kernel/fifo";
import type { Delivery } from "./delivery.ts";

export class DeliveryQueue {
  readonly #deliveries = new Fifo<Delivery>();
  #externalCount = 0;

  /** How many deliveries come from outside the engine. */
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

  addFirst(delivery: Delivery): void {
    this.#deliveries.addFirst(delivery);
    if (isExternal(delivery)) this.#externalCount++;
  }

  dequeue(): Delivery | undefined {
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

/** An attempt waits for its recorded calls, too, but it is part of the engine's own work. */
function isExternal({ happening, resolve, message }: Delivery): boolean {
  return happening.kind !== "recorded" && (resolve !== undefined || message !== undefined);
}
