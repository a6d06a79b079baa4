// The error of an operation that the closing of the engine interrupted.

import { SegnoError } from "@segno/kernel";

export function closedError(): SegnoError {
  return new SegnoError(
    "ENGINE_CLOSED",
    "the engine was closed before this operation finished; it may still take effect",
  );
}
