// The labels of an execution's items, for people who look at it. Large values are loaded if a label needs them.
//
//   L1. A query never fails because of a label: a removed or changed value gives no label and no error.

import {
  itemLabel,
  labelValues,
  type ContentHash,
  type ExecutionId,
  type Json,
  type State,
  type StoredValues,
} from "@segno/kernel";
import type { Store } from "../store/store.ts";

/** The label of the item that a step belongs to, if it has one. */
export type LabelOf = (step: number) => string | undefined;

/** Labels from data in memory only. */
export function labelsAtHand(state: State, values: StoredValues): LabelOf {
  return (step) => itemLabel(state, step, values);
}

/** Labels that may also read the store. */
export async function itemLabels(
  id: ExecutionId,
  state: State,
  store: Pick<Store, "contents">,
  atHand?: StoredValues,
): Promise<LabelOf> {
  const hashes = labelValues(state).filter((hash) => atHand?.value(hash) === undefined);
  const bodies = hashes.length === 0 ? undefined : await store.contents({ kind: "values", execution: id, hashes });
  const values = new Map<ContentHash, Json>();
  for (const [hash, body] of bodies ?? []) {
    const json = tryParse(body);
    if (json !== undefined) values.set(hash, json);
  }
  return labelsAtHand(state, { value: (hash) => values.get(hash) ?? atHand?.value(hash), checkSchema: () => [] });
}

function tryParse(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}
