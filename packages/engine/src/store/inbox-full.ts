import { SegnoError, type ExecutionId } from "@segno/kernel";

/** Refuses a post if messages arrive faster than the owner takes them, before they fill the disk. */
export function inboxFull(id: ExecutionId, waitingMax: number): SegnoError {
  return new SegnoError(
    "INBOX_FULL",
    `the execution ${id} has ${waitingMax} messages waiting; post again when its owner has taken some, or see whether it runs`,
  );
}
