// The context of a completed execution, which its last event carries (EVENT-1). Live subscribers and later readers get
// the same context, even if values are stored outside the journal.

import { contextSnapshot, type ContentHash, type Event, type ExecutionId, type Json, type State } from "@segno/kernel";
import type { JsonObject, StoredValues } from "@segno/kernel";
import type { Store } from "../store/store.ts";
import { readValues } from "../store/stored-values.ts";

export function isCompleted(events: readonly Event[]): boolean {
  return events.at(-1)?.kind === "execution.completed";
}

/** The context from memory; undefined if values must be loaded. */
export function inlineContext(state: State, values: Pick<StoredValues, "value">): JsonObject | undefined {
  const { context, needs } = contextSnapshot(state, (hash) => values.value(hash));
  return needs.length === 0 ? context : undefined;
}

/**
 * The context, with values loaded from the store. Undefined if a value was removed or lost; the event then lacks it.
 */
export async function finalContext(
  id: ExecutionId,
  state: State,
  store: Pick<Store, "contents">,
): Promise<JsonObject | undefined> {
  const { context, needs } = contextSnapshot(state, () => undefined);
  if (needs.length === 0) return context;
  const values = await loadValues(id, needs, store);
  return values === undefined ? undefined : inlineContext(state, { value: (hash) => values.get(hash) });
}

async function loadValues(
  id: ExecutionId,
  hashes: readonly ContentHash[],
  store: Pick<Store, "contents">,
): Promise<ReadonlyMap<ContentHash, Json> | undefined> {
  try {
    const bodies = await readValues(store, id, hashes);
    return new Map(Array.from(bodies, ([hash, body]) => [hash, JSON.parse(body) as Json]));
  } catch {
    return undefined;
  }
}
