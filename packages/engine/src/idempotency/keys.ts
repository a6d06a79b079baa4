// Idempotency keys: which execution a key stands for (IDEM-1, IDEM-2).

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
import type { RecordedAges } from "../clock/recorded-ages.ts";
import type { IdempotencyEntry, Store } from "../store/store.ts";
import { hashJson } from "../journal/block-encoding.ts";

/** IDEM-1: how long after success a key still finds its execution. At exactly this age it still does. */
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
      `an idempotency key is 1 to 255 of A-Z, a-z, 0-9 and hyphen, not ${describeValue(key)}`,
    );
}

/** What two starts with one key must have in common: the workflow's name, and the input whatever the order of its keys. */
export function hashPayload(workflow: string, input: Json): ContentHash {
  return hashJson({ workflow, input: canonicalJson(input) });
}

/** What a start finds under its key: an execution to join, or the newest one that has given the key back; null without one. */
export type KeyState =
  | { readonly kind: "held"; readonly id: ExecutionId }
  | { readonly kind: "free"; readonly after: ExecutionId | null };

/** The key of a start that creates an execution, and what it found under that key (K11). */
export interface KeyClaim {
  readonly entry: IdempotencyEntry;
  readonly after: ExecutionId | null;
}

/** An execution that was started with a key, and the hash of what it was started with. */
export interface KeyHolder {
  readonly id: ExecutionId;
  readonly payload: ContentHash | undefined;
  readonly status: ExecutionStatus | "none";
  readonly updatedAt: EpochMs;
}

/** Where it is known who was started with a key: in the store, or in this process where there is none. */
export interface KeyHolders {
  /** The last that was. */
  newest(key: string): Promise<KeyHolder | undefined>;
  /** Absent where the store itself keeps the keys. */
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
  readonly #ages: RecordedAges;

  constructor(holders: KeyHolders, ages: RecordedAges) {
    this.#holders = holders;
    this.#ages = ages;
  }

  /** Whether the key stands for an execution now. */
  async look({ key, payload }: IdempotencyEntry): Promise<KeyState> {
    const found = await this.#holders.newest(key);
    if (found === undefined || !this.#isHeld(found)) return { kind: "free", after: found?.id ?? null };
    return { kind: "held", id: matching(found, key, payload) };
  }

  /** The execution that was last started with the key, whatever became of it. */
  async last(key: string, payload: ContentHash): Promise<ExecutionId | undefined> {
    const found = await this.#holders.newest(key);
    return found === undefined ? undefined : matching(found, key, payload);
  }

  /** The execution was started with the key; `look` gives its state as long as the process has it. */
  hold(entry: IdempotencyEntry, id: ExecutionId, look: () => State | undefined): void {
    this.#holders.hold?.(entry, id, look);
  }

  #isHeld({ status, updatedAt }: KeyHolder): boolean {
    if (status === "failed" || status === "cancelled") return false;
    return status !== "completed" || updatedAt >= this.#ages.before(KEY_LIFE_MS);
  }
}

function matching(holder: KeyHolder, key: string, payload: ContentHash): ExecutionId {
  if (holder.payload === payload) return holder.id;
  throw new SegnoError("IDEMPOTENCY_CONFLICT", `the key ${key} is in use for another workflow or input`);
}
