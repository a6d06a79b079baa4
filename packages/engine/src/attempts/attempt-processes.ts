// The processes that attempts of a store start: they are marked, so that the next owner of the store finds those that
// a crash left running.

import { attemptMarker } from "../runners/process/attempt-marker.ts";
import { killOrphans } from "../runners/process/orphans.ts";
import type { ProcessRecords } from "../store/process-records.ts";
import type { StepAttempt } from "./step-attempt.ts";

export class AttemptProcesses {
  /** Undefined if the store does not record processes. */
  readonly records: ProcessRecords | undefined;
  readonly #storeId: string;
  readonly #isShared: boolean;

  /**
   * `storeId` distinguishes the processes of this store from those of others. `isShared` says whether another process
   * may have owned the store before.
   */
  constructor(store: Partial<ProcessRecords>, storeId: string, isShared: boolean) {
    this.records = hasProcessRecords(store) ? store : undefined;
    this.#storeId = storeId;
    this.#isShared = isShared;
  }

  /** Unique for every attempt, because each one has a higher epoch. */
  marker(attempt: StepAttempt): string {
    return attemptMarker(this.#storeId, attempt);
  }

  /** Kills the processes that a previous owner of this store left running; a store that is not shared had none. */
  async killOrphans(): Promise<void> {
    if (this.#isShared) await killOrphans(this.records, `${this.#storeId}.`);
  }
}

function hasProcessRecords(store: Partial<ProcessRecords>): store is ProcessRecords {
  return store.noteProcess !== undefined;
}
