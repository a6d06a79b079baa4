// Errors of operations that only the owner of the store may do.

import { SegnoError } from "@segno/kernel";

export function notOwnerError(): SegnoError {
  return new SegnoError("ENGINE_NOT_OWNER", "this process does not own the store; only the owner can do this");
}

export function readOnlyError(): SegnoError {
  return new SegnoError(
    "ENGINE_NOT_OWNER",
    "this engine was opened as `readOnly`, so it cannot start or change executions",
  );
}
