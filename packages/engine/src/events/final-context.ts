// The context of an execution that has completed, which its last event carries (EVENT-1): the same for those who hear of it at
// once and for those who read it later, also where values are kept beside the journal.

import { contextSnapshot, type ContentHash, type Event, type ExecutionId, type Json, type State } from "@segno/kernel";
import type { JsonObject, World } from "@segno/kernel";
import type { Store } from "../store/store.ts";
import { readValues } from "../store/stored-values.ts";

export function isCompleted(events: readonly Event[]): boolean {
  return events.at(-1)?.kind === "execution.completed";
}

/** From what is in memory; nothing when values have to be loaded. */
export function contextAtHand(state: State, { value }: Pick<World, "value">): JsonObject | undefined {
  const { context, needs } = contextSnapshot(state, value);
  return needs.length === 0 ? context : undefined;
}

/** From the store, too. Nothing where a value was removed or lost: whoever looks gets the rest. */
export async function finalContext(
  id: ExecutionId,
  state: State,
  store: Pick<Store, "contents">,
): Promise<JsonObject | undefined> {
  const { context, needs } = contextSnapshot(state, () => undefined);
  if (needs.length === 0) return context;
  const values = await loadValues(id, needs, store);
  return values === undefined ? undefined : contextAtHand(state, { value: (hash) => values.get(hash) });
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
