// Repairs a store: rebuilds the projections of executions from their journals (JOURNAL-4).
//
//   C7. Only projections are repaired, and only if the execution has no other damage. A damaged journal, definition or
//       value stays as it is, because no true replacement can be computed.
//   C8. All repairs of executions are one transaction. An execution gets its id back only if no other execution holds that id.

import type { ExecutionId } from "@segno/kernel";
import { StoreFault } from "../../store/store-fault.ts";
import type { CheckedExecution, Rebuilt } from "./execution-check.ts";
import { finding, type Finding } from "./finding.ts";
import { checkStore, type CheckableStore } from "./store-check.ts";

/** Damage that remains, in an execution or in the store itself. */
export interface RemainingDamage {
  readonly id?: ExecutionId;
  readonly findings: readonly Finding[];
}

export interface RepairReport {
  /** The number of rows whose damaged ids were restored. Until then, nothing finds these rows. */
  readonly restoredIds: number;
  readonly repaired: readonly { readonly id: ExecutionId; readonly findings: readonly Finding[] }[];
  /** Damage that the repair could not fix. */
  readonly remaining: readonly RemainingDamage[];
}

type Repairable = CheckedExecution & { readonly rebuilt: Rebuilt };

/** No other process may write to the store during a repair. */
export async function repairStore(store: CheckableStore): Promise<RepairReport> {
  if (store.rewrite === undefined) throw new StoreFault("STORE_UNSUPPORTED", "this store cannot be repaired");
  // A check cannot find an execution whose row lacks its true id.
  const restoredIds = await store.rewrite([]);
  const remaining: RemainingDamage[] = [];
  const repairable: Repairable[] = [];
  for await (const part of checkStore(store)) {
    if (part.findings.length === 0) continue;
    if (part.kind === "execution" && isRepairable(part)) repairable.push(part);
    else remaining.push(part.kind === "store" ? part : { id: part.id, findings: part.findings });
  }
  const { free, taken } = await partitionRepairable(store, repairable);
  await store.rewrite(free.map(({ id, rebuilt }) => ({ ...rebuilt, storedId: id })));
  return {
    restoredIds,
    repaired: free.map(({ rebuilt, findings }) => ({ id: rebuilt.id, findings })),
    remaining: [...remaining, ...taken],
  };
}

function isRepairable(checked: CheckedExecution): checked is Repairable {
  return checked.rebuilt !== undefined && checked.findings.every(({ code }) => code === "PROJECTION_WRONG");
}

/** Splits executions into those whose id is free after all repairs, and the rest. */
async function partitionRepairable(
  store: CheckableStore,
  all: readonly Repairable[],
): Promise<{ readonly free: readonly Repairable[]; readonly taken: readonly RemainingDamage[] }> {
  const taken: RemainingDamage[] = [];
  let free = all;
  for (let before = Number.POSITIVE_INFINITY; free.length < before;) {
    before = free.length;
    const left = new Set(free.map(({ id }) => id));
    const given = new Set<ExecutionId>();
    const kept: Repairable[] = [];
    for (const each of free) {
      const wanted = each.rebuilt.id;
      const isTaken = given.has(wanted) || (!left.has(wanted) && (await store.examine!(wanted)) !== undefined);
      if (isTaken) taken.push({ id: each.id, findings: [...each.findings, takenBy(wanted)] });
      else kept.push(each);
      given.add(wanted);
    }
    free = kept;
  }
  return { free, taken };
}

function takenBy(id: ExecutionId): Finding {
  return finding("PROJECTION_WRONG", `its id cannot be restored: another execution has the id ${id}`);
}
