// Retention: keys, logs and executions that are older than they are to be kept are removed (JOURNAL-7, IDEM-3).
//
//   R1. A little at a time, with pauses: what runs is not held up, however much there is to remove.
//   R2. A sweep goes on until nothing is left that is old enough, so it never falls behind.

import type { EpochMs } from "@segno/kernel";
import type { RecordedAges } from "../clock/recorded-ages.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { KEY_LIFE_MS } from "../idempotency/keys.ts";

/** Of so many executions something is removed in one go, and then others have their turn. */
const REMOVED_AT_ONCE = 100;
const REMOVE_AGAIN_MS = 20;

export interface RetentionOptions {
  /**
   * How long ended executions are kept, with everything that belongs to them, their keys included, and how long what their
   * steps wrote is; for ever when it is absent (JOURNAL-7).
   */
  readonly retention?: { readonly endedMs?: number; readonly logsMs?: number };
}

export interface RetentionPorts {
  readonly options: RetentionOptions & { readonly store: EngineStore };
  readonly ages: Pick<RecordedAges, "before">;
  sleep(ms: number): Promise<void>;
  /** False when the store is not owned any more, or the engine was closed. */
  mayGoOn(): boolean;
}

export class Retention {
  readonly #ports: RetentionPorts;

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
  }

  async sweep(): Promise<void> {
    const { store, retention = {} } = this.#ports.options;
    const { endedMs, logsMs } = retention;
    await this.#repeat(KEY_LIFE_MS, (before, limit) => store.sweepKeys?.(before, limit));
    if (logsMs !== undefined) await this.#repeat(logsMs, (before, limit) => store.removeLogs?.(before, limit));
    if (endedMs !== undefined) await this.#repeat(endedMs, (before, limit) => store.removeEnded?.(before, limit));
  }

  /** Until less is removed than could be. A store that cannot remove has nothing to say. */
  async #repeat(ageMs: number, remove: (before: EpochMs, limit: number) => Promise<number> | undefined): Promise<void> {
    const before = this.#ports.ages.before(ageMs);
    while (this.#ports.mayGoOn()) {
      const removed = (await remove(before, REMOVED_AT_ONCE)) ?? 0;
      if (removed < REMOVED_AT_ONCE) return;
      await this.#ports.sleep(REMOVE_AGAIN_MS);
    }
  }
}
