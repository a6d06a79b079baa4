import { SegnoError, type ExecutionId } from "@segno/kernel";

/** Refuses a post if messages arrive faster than the owner takes them, before they fill the disk. */
export function inboxFull(id: ExecutionId, waitingMax: number): SegnoError {
  return new SegnoError(
    "INBOX_FULL",
    `the execution ${id} has ${waitingMax} messages waiting; check that a process runs it, and post again later`,
  );
}
