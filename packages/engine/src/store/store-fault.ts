// The faults of a store.
//
//   K7. `STORE_IO`, `STORE_BUSY` and `STORE_FULL` pass: what was refused with one of them may be written when it is tried
//       again, and is tried again for ever. What can never be written must have another code.
//   K8. `STORE_FENCED` says which executions and messages of the batch were refused. All of them are named, so that the rest
//       can be written together.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { STORE_CODES } from "../errors/store-codes.ts";
import type { MessageId } from "./store.ts";

export type StoreFaultCode = Extract<keyof typeof STORE_CODES, `STORE_${string}`>;

/** What of a batch stood in the way of the rest. */
export interface RefusedIds {
  readonly executions: ReadonlySet<ExecutionId>;
  readonly messages: ReadonlySet<MessageId>;
}

/** The store could not do what it was asked, for a reason of the world. Nothing half-written remains (K1). */
export class StoreFault extends SegnoError {
  override readonly name: string = "StoreFault";
  declare readonly code: StoreFaultCode;
  /** Only where a batch was refused with `STORE_FENCED`. */
  readonly refused: RefusedIds | undefined;

  constructor(
    code: StoreFaultCode,
    message: string,
    options: { readonly cause?: unknown; readonly refused?: RefusedIds } = {},
  ) {
    const { refused, ...rest } = options;
    super(code, message, rest);
    this.refused = refused;
  }
}
