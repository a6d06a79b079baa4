// The processes that attempts of a store start: they are marked, so that the next owner of the store finds those that
// a crash left running.

import { attemptMarker } from "../runners/process/attempt-marker.ts";
import { endOrphans } from "../runners/process/orphans.ts";
import type { ProcessTable } from "../store/process-table.ts";
import type { StepAttempt } from "./step-attempt.ts";

export class AttemptProcesses {
  /** Undefined if the store does not record processes. */
  readonly table: ProcessTable | undefined;
  readonly #storeId: string;
  readonly #isShared: boolean;

  /**
   * `storeId` distinguishes the processes of this store from those of others. `isShared` says whether another process
   * may have owned the store before.
   */
  constructor(store: Partial<ProcessTable>, storeId: string, isShared: boolean) {
    this.table = isProcessTable(store) ? store : undefined;
    this.#storeId = storeId;
    this.#isShared = isShared;
  }

  /** Unique for every attempt, because each one has a higher epoch. */
  marker(attempt: StepAttempt): string {
    return attemptMarker(this.#storeId, attempt);
  }

  /** Kills the processes that a previous owner of this store left running; a store that is not shared had none. */
  async endOrphans(): Promise<void> {
    if (this.#isShared) await endOrphans(this.table, `${this.#storeId}.`);
  }
}

function isProcessTable(store: Partial<ProcessTable>): store is ProcessTable {
  return store.noteProcess !== undefined;
}
