// Idempotency keys: which execution a key stands for (IDEM-1, IDEM-2).

import { canonicalJson } from "@segno/contract";
import { SegnoError, type ContentHash, type ExecutionId, type Json } from "@segno/kernel";
import type { RecordedAges } from "../clock/recorded-ages.ts";
import type { IdempotencyEntry, Store, Summary } from "../store/store.ts";
import { hashOf } from "../turn/seal.ts";

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
      `an idempotency key is 1 to 255 of A-Z, a-z, 0-9 and hyphen, not ${JSON.stringify(key).slice(0, 80)}`,
    );
}

/** What two starts with one key must have in common: the workflow's name, and the input whatever the order of its keys. */
export function payloadOf(workflow: string, input: Json): ContentHash {
  return hashOf({ workflow, input: canonicalJson(input) });
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

export class Keys {
  readonly #store: Store;
  readonly #ages: RecordedAges;

  constructor(store: Store, ages: RecordedAges) {
    this.#store = store;
    this.#ages = ages;
  }

  /** Whether the key stands for an execution now. */
  async look({ key, payload }: IdempotencyEntry): Promise<KeyState> {
    const found = await this.#newest(key);
    if (found === undefined || !this.#isHeld(found)) return { kind: "free", after: found?.id ?? null };
    return { kind: "held", id: matching(found, key, payload) };
  }

  /** The execution that was last started with the key, whatever became of it. */
  async last(key: string, payload: ContentHash): Promise<ExecutionId | undefined> {
    const found = await this.#newest(key);
    return found === undefined ? undefined : matching(found, key, payload);
  }

  async #newest(key: string): Promise<Summary | undefined> {
    return (await this.#store.find({ idempotencyKey: key, limit: 1 })).executions[0];
  }

  #isHeld({ projection: { status, updatedAt } }: Summary): boolean {
    if (status === "failed" || status === "cancelled") return false;
    return status !== "completed" || updatedAt >= this.#ages.before(KEY_LIFE_MS);
  }
}

function matching({ id, idempotency }: Summary, key: string, payload: ContentHash): ExecutionId {
  if (idempotency?.payload === payload) return id;
  throw new SegnoError("IDEMPOTENCY_CONFLICT", `the key ${key} is in use for another workflow or input`);
}
