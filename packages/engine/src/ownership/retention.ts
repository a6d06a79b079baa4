// Retention: removes keys, logs and executions beyond their retention time (JOURNAL-7, IDEM-3).
//
//   R1. Removal works in small batches with pauses, so that it does not delay running executions.
//   R2. A sweep continues until nothing old is left, so retention never falls behind.

import type { EpochMs } from "@segno/kernel";
import type { ArtifactFolder } from "../artifacts/artifact-folder.ts";
import { toExecutionId } from "../checks/names.ts";
import type { RecordedAges } from "../clock/recorded-ages.ts";
import type { Timers } from "../clock/timers.ts";
import { KEY_LIFE_MS } from "../idempotency/keys.ts";
import type { StoreAccess } from "../inbox/store-access.ts";

/** The number of executions handled before a sweep yields. */
const REMOVED_AT_ONCE = 100;
const REMOVE_AGAIN_MS = 20;

/** Options of an engine about how long it keeps ended executions. */
export interface RetentionOptions {
  /**
   * `endedMs` is how long the store keeps ended executions, with their keys and all other data. `logsMs` is how long it
   * keeps the output of their steps. By default the store keeps both for ever (JOURNAL-7).
   */
  readonly retention?: { readonly endedMs?: number; readonly logsMs?: number };
}

export interface RetentionPorts {
  readonly options: RetentionOptions;
  readonly access: Pick<StoreAccess, "store" | "isOpenOwner">;
  readonly ages: Pick<RecordedAges, "before" | "notice">;
  readonly timers: Pick<Timers, "sleep">;
  readonly artifacts: Pick<ArtifactFolder, "sweep" | "removeLeftCopies">;
}

export class Retention {
  readonly #ports: RetentionPorts;
  /** At first, because a process that was killed may have left files. */
  #mayHaveOldArtifacts = true;

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
  }

  /** Notices a wall clock that was set, so that no record seems older than it is. */
  noticeTime(): void {
    this.#ports.ages.notice();
  }

  /** Removes copies of artifacts that killed processes left. Undefined if there can be none. */
  removeLeftCopies(): Promise<void> | undefined {
    return this.#ports.access.isOpenOwner ? this.#ports.artifacts.removeLeftCopies() : undefined;
  }

  async sweep(): Promise<void> {
    const { store } = this.#ports.access;
    const { retention = {} } = this.#ports.options;
    const { endedMs, logsMs } = retention;
    await this.#repeat(KEY_LIFE_MS, (before, limit) => store.sweepKeys?.(before, limit));
    if (logsMs !== undefined) await this.#repeat(logsMs, (before, limit) => store.removeLogs?.(before, limit));
    if (endedMs !== undefined) await this.#repeat(endedMs, (before, limit) => this.#removeEnded(before, limit));
    if (this.#mayHaveOldArtifacts) await this.#sweepArtifacts();
  }

  async #removeEnded(before: EpochMs, limit: number): Promise<number> {
    const removed = (await this.#ports.access.store.removeEnded?.(before, limit)) ?? 0;
    if (removed > 0) this.#mayHaveOldArtifacts = true;
    return removed;
  }

  /** Once for what a killed process left, and whenever executions were removed. */
  async #sweepArtifacts(): Promise<void> {
    const { access, artifacts } = this.#ports;
    if (!access.isOpenOwner) return;
    await artifacts.sweep(async (id) => (await access.store.load(toExecutionId(id))) !== undefined);
    this.#mayHaveOldArtifacts = false;
  }

  /** Repeats until a batch is not full. A store that cannot remove returns undefined. */
  async #repeat(ageMs: number, remove: (before: EpochMs, limit: number) => Promise<number> | undefined): Promise<void> {
    const before = this.#ports.ages.before(ageMs);
    while (this.#ports.access.isOpenOwner) {
      const removed = (await remove(before, REMOVED_AT_ONCE)) ?? 0;
      if (removed < REMOVED_AT_ONCE) return;
      await this.#ports.timers.sleep(REMOVE_AGAIN_MS);
    }
  }
}
