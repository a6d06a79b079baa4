import type { Reply, Happening } from "@segno/kernel";
import type { MessageId } from "../store/store.ts";

/** A happening on its way to a turn. */
export interface Delivery {
  readonly happening: Happening;
  /** Called when the turn that consumed the happening is durable. */
  readonly resolve?: ((reply: Reply) => void) | undefined;
  /** Called when no turn will consume the happening: the execution left memory, or the engine closed. */
  readonly reject?: ((error: unknown) => void) | undefined;
  /** The posted message that carried the happening; acknowledged in the transaction of the turn. */
  readonly message?: MessageId | undefined;
}

/** A happening without a waiting caller; most have none. */
export class Posted implements Delivery {
  readonly happening: Happening;

  constructor(happening: Happening) {
    this.happening = happening;
  }
}
