import { SegnoError, type ExecutionId } from "@segno/kernel";

/** Whoever posts faster than the owner takes is told so, before a disk is full of it. */
export function inboxFull(id: ExecutionId, waitingMax: number): SegnoError {
  return new SegnoError(
    "INBOX_FULL",
    `the execution ${id} has ${waitingMax} messages waiting; post again when its owner has taken some, or see whether it runs`,
  );
}
