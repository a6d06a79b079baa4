// The faults of a store.

import { InvariantViolation, SegnoError, type ExecutionId } from "@segno/kernel";
import type { STORE_CODES } from "../errors/store-codes.ts";
import type { MessageId } from "./store.ts";

/** The codes of errors that a store throws. */
export type StoreFaultCode = Extract<keyof typeof STORE_CODES, `STORE_${string}`>;

/** The parts of a batch that were refused. */
export interface RefusedIds {
  readonly executions: ReadonlySet<ExecutionId>;
  readonly messages: ReadonlySet<MessageId>;
}

/**
 * The store could not do an operation, for a reason outside the program. No partial write remains (K1).
 *
 * - K7. `STORE_IO`, `STORE_BUSY` and `STORE_FULL` are transient: a write that they refuse may succeed later, and the
 *   engine retries it for ever. A permanent refusal must have another code. Any other error that a store throws or
 *   rejects with counts as `STORE_IO`.
 * - K8. `STORE_FENCED` names every refused execution and message of the batch, so that the rest can be written together.
 */
export class StoreFault extends SegnoError {
  override readonly name: string = "StoreFault";
  declare readonly code: StoreFaultCode;
  /** Present only if a batch was refused with `STORE_FENCED`. */
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

/**
 * The fault for an error with which a store failed (K7). A failed invariant stays as it is: the store refuses what the
 * engine itself should not have sent.
 */
export function storeFaultOf(error: unknown): StoreFault | InvariantViolation {
  if (error instanceof StoreFault || error instanceof InvariantViolation) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreFault("STORE_IO", `the store failed: ${reason}`, { cause: error });
}
