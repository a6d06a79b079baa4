// Errors of operations that only the owner of the store may do.

import { SegnoError } from "@segno/kernel";

export function notOwnerError(): SegnoError {
  return new SegnoError("ENGINE_NOT_OWNER", "this process does not own the store; only the owner can do this");
}

/** `what` completes the message: "change documents", for example. */
export function readOnlyError(what: string): SegnoError {
  return new SegnoError("ENGINE_NOT_OWNER", `this engine was opened as \`readOnly\`, so it cannot ${what}`);
}
