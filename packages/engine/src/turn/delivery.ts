// What is brought to an execution.

import type { Reply, Happening } from "@segno/kernel";
import type { MessageId } from "../store/store.ts";

/** A happening on its way to a turn. */
export interface Delivery {
  readonly happening: Happening;
  /** Told when the turn that took it is durable. */
  readonly answer?: ((answer: Reply) => void) | undefined;
  /** Told when it will never be taken: the execution was let go, or the engine closed. */
  readonly refuse?: ((error: unknown) => void) | undefined;
  /** The posted message that it came in; taken in the transaction of the turn. */
  readonly message?: MessageId | undefined;
}

/** A happening that nobody waits for; most are. */
export class Posted implements Delivery {
  readonly happening: Happening;

  constructor(happening: Happening) {
    this.happening = happening;
  }
}
