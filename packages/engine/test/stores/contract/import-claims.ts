import { expect } from "vitest";
import { Keys, storedKeys, type KeyHolders } from "../../../src/idempotency/keys.ts";
import { exportExecution, importExecution } from "../../../src/journal/transfer.ts";
import type { Projection, Store } from "../../../src/store/store.ts";
import { found, loaded, refusal, type Claims, type Open } from "./claim.ts";
import { append, at, batch, content, hashText, toId } from "./sample.ts";

const lines = async (source: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const line of source) all.push(line);
  return all;
};

const idempotency = { key: "k", payload: hashText("p") };

/** Completed executions hold their keys from time 50 on. */
function importRules(store: Store, holders: KeyHolders = storedKeys(store)): { readonly keys: Keys } {
  return { keys: new Keys(holders, { before: () => at(50) }) };
}

/** The lines of an execution with the key `k`, from a store of its own. */
async function exportedWithKey(open: Open, id: string, projection: Partial<Projection> = {}): Promise<string[]> {
  const { store } = await open();
  await store.commit(batch(append(id, 0, { idempotency, projection })));
  return lines(exportExecution(store, toId(id)));
}

/** Holders of keys; another process commits a start with the key right after the first look. */
function lateHolder(store: Store): KeyHolders {
  let isFirst = true;
  return {
    newest: async (key) => {
      const newest = await storedKeys(store).newest(key);
      if (isFirst) await store.commit(batch(append("late", 0, { idempotency })));
      isFirst = false;
      return newest;
    },
  };
}

export const IMPORT_CLAIMS: Claims = {
  "JOURNAL-7 what was exported from one store is the same in another": async ({ store }, open) => {
    const definition = content("a definition");
    const value = content("a value");
    const first = append("a", 0, {
      values: [value],
      definitions: [definition],
      idempotency: { key: "k", payload: value.hash },
      projection: { definition: definition.hash },
    });
    const last = append("a", 2, {
      body: `names ${value.hash}`,
      expectedEpoch: 1,
      epoch: 4,
      projection: { definition: definition.hash, wakeAt: at(3) },
    });
    await store.commit(batch(first));
    await store.commit(batch(last));
    const exported = await lines(exportExecution(store, toId("a")));
    const other = (await open()).store;
    expect(await importExecution(other, exported)).toBe("a");
    expect(await loaded(other, "a")).toEqual(await loaded(store, "a"));
    expect(await other.find({ limit: 9 })).toEqual(await store.find({ limit: 9 }));
    expect(await lines(exportExecution(other, toId("a")))).toEqual(exported);
    expect(await refusal(importExecution(other, exported))).toBe("STORE_EXISTS");
    expect(await lines(exportExecution(store, toId("nobody")))).toEqual([]);
  },

  "JOURNAL-7 an export that was cut or changed is refused whole": async ({ store }, open) => {
    await store.commit(batch(append("a", 0), append("a", 2), append("a", 4)));
    const exported = await lines(exportExecution(store, toId("a")));
    const broken = [
      exported.slice(0, -1),
      exported.toSpliced(2, 1),
      exported.with(1, exported[1]!.replace("seq", "sex")),
      exported.with(1, exported[2]!),
      [...exported, exported[1]!],
      exported.slice(1),
      ["not JSON"],
      [],
    ];
    const other = (await open()).store;
    for (const one of broken) expect(await refusal(importExecution(other, one))).toBe("EXPORT_INVALID");
    expect(await found(other)).toEqual([]);
  },

  "IDEM-1 an import whose key another execution holds is refused, names the holder and leaves nothing": async (
    { store },
    open,
  ) => {
    const holders: readonly Partial<Projection>[] = [
      { status: "running", updatedAt: at(1) },
      { status: "paused", updatedAt: at(1) },
      { status: "completed", updatedAt: at(50) },
    ];
    const exported = await exportedWithKey(open, "a");
    for (const projection of holders) {
      await store.commit(batch(append("b", 0, { idempotency, projection })));
      await expect(importExecution(store, exported, importRules(store))).rejects.toMatchObject({
        code: "IDEMPOTENCY_CONFLICT",
        message: expect.stringContaining("belongs to the execution b"),
      });
      expect(await found(store)).toEqual(["b"]);
      expect(await found(store, { idempotencyKey: "k" })).toEqual(["b"]);
      await store.remove(toId("b"));
    }
  },

  "IDEM-1 an import gets its key after an execution that has released it": async ({ store }, open) => {
    const released: readonly Partial<Projection>[] = [
      { status: "completed", updatedAt: at(49) },
      { status: "failed", updatedAt: at(60) },
      { status: "cancelled", updatedAt: at(60) },
    ];
    const exported = await exportedWithKey(open, "a");
    for (const projection of released) {
      await store.commit(batch(append("b", 0, { idempotency, projection })));
      expect(await importExecution(store, exported, importRules(store))).toBe("a");
      expect(await found(store, { idempotencyKey: "k" })).toEqual(["a"]);
      for (const id of ["a", "b"]) await store.remove(toId(id));
    }
  },

  "IDEM-1 of two exports with one key the second is refused, also at the same moment": async ({ store }, open) => {
    const both = [await exportedWithKey(open, "a"), await exportedWithKey(open, "b")];
    const rules = importRules(store);
    const refusals = await Promise.all(both.map((exported) => refusal(importExecution(store, exported, rules))));
    expect(refusals.toSorted()).toEqual(["IDEMPOTENCY_CONFLICT", "accepted"]);
    const [kept] = await found(store);
    expect(await found(store, { idempotencyKey: "k" })).toEqual([kept]);
    expect(await found(store)).toHaveLength(1);
  },

  "IDEM-1 a key that is taken after the look refuses the import in its commit": async ({ store }, open) => {
    const exported = await exportedWithKey(open, "a");
    const importing = importExecution(store, exported, importRules(store, lateHolder(store)));
    await expect(importing).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
      message: expect.stringContaining("belongs to the execution late"),
    });
    expect(await found(store)).toEqual(["late"]);
    expect(await refusal(importExecution(store, exported))).toBe("STORE_FENCED");
  },

  "IDEM-1 IDEM-3 an import whose own key has expired comes without it": async ({ store }, open) => {
    await store.commit(batch(append("b", 0, { idempotency })));
    const expired: readonly Partial<Projection>[] = [
      { status: "completed", updatedAt: at(49) },
      { status: "failed", updatedAt: at(60) },
      { status: "cancelled", updatedAt: at(60) },
    ];
    for (const projection of expired) {
      const exported = await exportedWithKey(open, "a", projection);
      expect(await importExecution(store, exported, importRules(store))).toBe("a");
      expect(await found(store, { idempotencyKey: "k" })).toEqual(["b"]);
      await store.remove(toId("a"));
    }
  },
};
