// Thrown if another start with the same idempotency key became durable first (IDEM-1, K11). Nothing was created, and
// this start joins the other execution.

import type { ExecutionId } from "@segno/kernel";
import { StoreFault } from "../store/store-fault.ts";

export class KeyTaken extends StoreFault {
  override readonly name: string = "KeyTaken";

  constructor(id: ExecutionId, holder: ExecutionId) {
    super("STORE_FENCED", `the execution ${id} was not created: its idempotency key belongs to ${holder}`);
  }
}
