import type { Reply, Happening } from "@segno/kernel";
import type { MessageId } from "../store/store.ts";

/**
 * A happening on its way to a turn. A happening is an input of the kernel with its time: a step was granted, a timer is
 * due, an attempt ended, a caller cancels, the engine parks the execution, and so on.
 */
export interface Delivery {
  readonly happening: Happening;
  /** Called when the turn that consumed the happening is durable. */
  readonly resolve?: ((reply: Reply) => void) | undefined;
  /** Called when no turn will consume the happening: the execution left memory, or the engine closed. */
  readonly reject?: ((error: unknown) => void) | undefined;
  /** The inbox message that carried the happening; the transaction of the turn removes it from the inbox. */
  readonly message?: MessageId | undefined;
}

/** A delivery from inside the engine: neither a caller waits for it, nor did a posted message carry it. */
export class InternalDelivery implements Delivery {
  readonly happening: Happening;

  constructor(happening: Happening) {
    this.happening = happening;
  }
}
