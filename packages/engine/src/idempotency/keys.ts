// Idempotency keys: maps a key to its execution (IDEM-1, IDEM-2).

import { canonicalJson } from "@segno/contract";
import {
  SegnoError,
  type ContentHash,
  type EpochMs,
  type ExecutionId,
  type ExecutionStatus,
  type Json,
  type State,
} from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { KeyedMutex } from "../collections/keyed-mutex.ts";
import type { RecordedAges } from "../clock/recorded-ages.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { IdempotencyEntry, Store } from "../store/store.ts";
import { hashJson } from "../journal/block-encoding.ts";

/** IDEM-1: how long a key maps to its execution after success, inclusive. */
export const KEY_LIFE_MS = 600_000;
/** IDEM-3. */
export const KEY_SWEEP_MS = 60_000;

const KEY = /^[A-Za-z0-9-]{1,255}$/u;

export function isKey(text: string): boolean {
  return KEY.test(text);
}

export function checkKey(key: string): void {
  if (!isKey(key))
    throw new SegnoError(
      "IDEMPOTENCY_KEY_INVALID",
      `an idempotency key must be 1 to 255 characters of A-Z, a-z, 0-9 and hyphen, not ${describeValue(key)}`,
    );
}

/**
 * Two starts with one key must have the same payload hash: the same workflow name, and the same input in any order of
 * its keys.
 */
export function hashPayload(workflow: string, input: Json): ContentHash {
  return hashJson({ workflow, input: canonicalJson(input) });
}

/**
 * The state of a key: held by an execution to join, or free. A free key names the newest execution that has released
 * it, or null.
 */
export type KeyState =
  | { readonly kind: "held"; readonly id: ExecutionId }
  | { readonly kind: "free"; readonly previousWithKey: ExecutionId | null };

/** The key of a start that creates an execution, and the state that the start found (K11). */
export interface KeyClaim {
  readonly entry: IdempotencyEntry;
  readonly previousWithKey: ExecutionId | null;
}

/** An execution that was started with a key, and its payload hash. */
export interface KeyHolder {
  readonly id: ExecutionId;
  readonly payload: ContentHash | undefined;
  readonly status: ExecutionStatus | "none";
  readonly updatedAt: EpochMs;
}

/** An execution to import, with its key. */
export interface ImportedKey extends Pick<KeyHolder, "id" | "status" | "updatedAt"> {
  readonly entry: IdempotencyEntry;
}

/** Finds executions by key: in the store, or in this process if there is no store. */
export interface KeyHolders {
  /** The newest execution that was started with the key. */
  newest(key: string): Promise<KeyHolder | undefined>;
  /** Absent if the store itself keeps the keys. */
  hold?(entry: IdempotencyEntry, id: ExecutionId, look: () => State | undefined): void;
}

export function storedKeys(store: Pick<Store, "find">): KeyHolders {
  return {
    newest: async (key) => {
      const [found] = (await store.find({ idempotencyKey: key, limit: 1 })).executions;
      if (found === undefined) return undefined;
      const { id, idempotency, projection } = found;
      return { id, payload: idempotency?.payload, status: projection.status, updatedAt: projection.updatedAt };
    },
  };
}

export class Keys {
  readonly #holders: KeyHolders;
  readonly #ages: Pick<RecordedAges, "before">;
  /** Serialises starts with the same key or the same id. */
  readonly mutex: KeyedMutex = new KeyedMutex();

  constructor(holders: KeyHolders, ages: Pick<RecordedAges, "before">) {
    this.#holders = holders;
    this.#ages = ages;
  }

  /** The current state of the key. */
  async look({ key, payload }: IdempotencyEntry): Promise<KeyState> {
    const found = await this.#holders.newest(key);
    if (found === undefined || !this.#isHeld(found)) return { kind: "free", previousWithKey: found?.id ?? null };
    return { kind: "held", id: matching(found, key, payload) };
  }

  /**
   * Commits an imported execution with its key, or without it if the key has expired: the sweep would remove it (IDEM-3).
   * A key that another execution holds refuses the import, also if the payload is the same, because two executions
   * cannot be joined (IDEM-1).
   */
  async commitImport({ id, entry, ...ended }: ImportedKey, commit: (claim?: KeyClaim) => Promise<void>): Promise<void> {
    const { key } = entry;
    if (!this.#isHeld(ended)) return commit();
    await this.mutex.run(`key ${key}`, async () => {
      let previousWithKey = await this.#freeFor(id, key);
      for (;;) {
        try {
          return await commit({ entry, previousWithKey });
        } catch (error) {
          if (!(error instanceof StoreFault) || error.code !== "STORE_FENCED") throw error;
          // Another process may have used the key since the look. Otherwise the refusal is not about the key (K11).
          const newest = await this.#freeFor(id, key);
          if (newest === previousWithKey) throw error;
          previousWithKey = newest;
        }
      }
    });
  }

  /** The newest execution with the key, which has released it; null if there is none. */
  async #freeFor(id: ExecutionId, key: string): Promise<ExecutionId | null> {
    const found = await this.#holders.newest(key);
    if (found === undefined || found.id === id || !this.#isHeld(found)) return found?.id ?? null;
    throw new SegnoError(
      "IDEMPOTENCY_CONFLICT",
      `the execution ${id} cannot be imported: its idempotency key ${key} belongs to the execution ${found.id}`,
    );
  }

  /** The execution that was last started with the key, whatever its status. */
  async last(key: string, payload: ContentHash): Promise<ExecutionId | undefined> {
    const found = await this.#holders.newest(key);
    return found === undefined ? undefined : matching(found, key, payload);
  }

  /** Records that the execution was started with the key; `look` returns its state while the process has it. */
  hold(entry: IdempotencyEntry, id: ExecutionId, look: () => State | undefined): void {
    this.#holders.hold?.(entry, id, look);
  }

  #isHeld({ status, updatedAt }: Pick<KeyHolder, "status" | "updatedAt">): boolean {
    if (status === "failed" || status === "cancelled") return false;
    return status !== "completed" || updatedAt >= this.#ages.before(KEY_LIFE_MS);
  }
}

function matching(holder: KeyHolder, key: string, payload: ContentHash): ExecutionId {
  if (holder.payload === payload) return holder.id;
  throw new SegnoError("IDEMPOTENCY_CONFLICT", `the key ${key} is in use for another workflow or input`);
}
