// Loads stored values of an execution into memory, and finds the inputs of an attempt that are not loaded.

import {
  enclosingInput,
  InvariantViolation,
  type ContentHash,
  type Json,
  type RunEffect,
  type Value,
} from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { Backup } from "../store/backup.ts";
import type { Store } from "../store/store.ts";
import { storeFaultOf } from "../store/store-fault.ts";
import { hashOfText } from "../store/stored-values.ts";
import type { AttemptExecution } from "./step-attempt.ts";

type ValueStore = Pick<Store, "contents"> & Partial<Pick<Backup, "reopen">>;
export type ValueOwner = Pick<AttemptExecution, "id" | "values">;

const NOTHING: readonly never[] = Object.freeze([]);

/** A value that does not match its hash is read once more from the reopened file before it counts as damaged (`journals.ts`). */
export async function fetchValues(
  execution: ValueOwner,
  hashes: readonly ContentHash[],
  store: ValueStore,
): Promise<void> {
  if ((await fetchOnce(execution, hashes, store)) === undefined) return;
  await reopen(store);
  const damage = await fetchOnce(execution, hashes, store);
  if (damage !== undefined) throw new InvariantViolation("JOURNAL-4", damage);
}

/** Returns a description of the damage, if any. */
async function fetchOnce(
  { id, values }: ValueOwner,
  hashes: readonly ContentHash[],
  store: ValueStore,
): Promise<string | undefined> {
  const contents = await readValues(id, hashes, store);
  for (const hash of hashes) {
    const body = contents.get(hash);
    if (body === undefined) return `the value ${hash} is not in the store`;
    if (hashOfText(body) !== hash) return `the value ${hash} does not match its hash`;
    values.add(hash, deepFreeze(JSON.parse(body) as Json));
  }
  return undefined;
}

/** A store that fails to read says nothing about the stored values (JOURNAL-6). */
async function readValues(
  id: ValueOwner["id"],
  hashes: readonly ContentHash[],
  store: ValueStore,
): Promise<ReadonlyMap<ContentHash, string>> {
  try {
    return await store.contents({ kind: "values", execution: id, hashes });
  } catch (error) {
    throw storeFaultOf(error);
  }
}

async function reopen(store: ValueStore): Promise<void> {
  try {
    await store.reopen?.();
  } catch (error) {
    throw storeFaultOf(error);
  }
}

/** Stored inputs that are not loaded yet. */
export function missingInputs(execution: AttemptExecution, effect: RunEffect): readonly ContentHash[] {
  const enclosing = enclosingInput(execution.state, effect.step);
  const call = missingHash(execution, effect.call);
  const input = missingHash(execution, enclosing);
  return call === undefined && input === undefined ? NOTHING : [call, input].filter((hash) => hash !== undefined);
}

function missingHash(execution: AttemptExecution, value: Value | undefined): ContentHash | undefined {
  return value?.kind === "stored" && !execution.values.has(value.hash) ? value.hash : undefined;
}
