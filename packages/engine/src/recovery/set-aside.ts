// Setting aside an execution that broke an invariant, also while the store is down (JOURNAL-6).

import type { ExecutionId } from "@segno/kernel";
import type { Journals } from "./journals.ts";

export interface SetAsidePorts {
  readonly journals: Journals;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  isClosed(): boolean;
  pause(): Promise<void>;
}

/** Tries until the store has it. */
export async function setAsideAtLast(id: ExecutionId, reason: string, ports: SetAsidePorts): Promise<void> {
  while (!ports.isClosed()) {
    try {
      return await ports.journals.setAside(id, reason);
    } catch (error) {
      ports.report(error, id);
      await ports.pause();
    }
  }
}
