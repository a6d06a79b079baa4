// The labels of an execution's items, for people who look at it: its large values are loaded for that, if they have to be.
//
//   L1. Whoever looks gets an answer: a value that was removed, or is not what it was, gives no label and no error.

import {
  itemLabel,
  labelValues,
  type ContentHash,
  type ExecutionId,
  type Json,
  type State,
  type World,
} from "@segno/kernel";
import type { Store } from "../store/store.ts";

/** The label of the item that a step stands in, if it stands in one that has a label. */
export type LabelOf = (step: number) => string | undefined;

/** From what this process has in memory. */
export function labelsAtHand(state: State, world: World): LabelOf {
  return (step) => itemLabel(state, step, world);
}

/** From the store, too. */
export async function itemLabels(
  id: ExecutionId,
  state: State,
  store: Pick<Store, "contents">,
  atHand?: World,
): Promise<LabelOf> {
  const hashes = labelValues(state).filter((hash) => atHand?.value(hash) === undefined);
  const bodies = hashes.length === 0 ? undefined : await store.contents({ kind: "values", execution: id, hashes });
  const values = new Map<ContentHash, Json>();
  for (const [hash, body] of bodies ?? []) {
    const json = tryParse(body);
    if (json !== undefined) values.set(hash, json);
  }
  return labelsAtHand(state, { value: (hash) => values.get(hash) ?? atHand?.value(hash), check: () => [] });
}

function tryParse(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}
