import type { ExecutionId } from "@segno/kernel";

/** The posted messages, as far as direct calls of the owner use them. */
export interface PostedMessages {
  /**
   * Calls `deliver` when the messages that are posted for the execution have been delivered, so that an acknowledged
   * message is not overtaken. Calls for one execution are made in order; the next one does not wait for the result.
   * Rejects if a message cannot be delivered now.
   */
  afterPosted<Result>(id: ExecutionId, deliver: () => Result | Promise<Result>): Promise<Result>;
}
