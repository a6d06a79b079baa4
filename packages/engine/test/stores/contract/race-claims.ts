// Two concurrent connections to one store. For a store within one process, both are the same one.

import { expect } from "vitest";
import type { Append, CommitBatch } from "../../../src/store/store.ts";
import {
  readBlocks,
  expectAt,
  found,
  loaded,
  refusal,
  type Claims,
  type ContractStore,
  type Subject,
} from "./claim.ts";
import { append, batch, blockless } from "./sample.ts";

const ROUNDS = 20;
const ONE_WINS = ["STORE_FENCED", "accepted"];

async function both({ store, second }: Subject): Promise<readonly [ContractStore, ContractStore]> {
  return [store, (await second?.()) ?? store];
}

/** The results of two batches that are sent at the same time. */
async function race(
  stores: readonly [ContractStore, ContractStore],
  one: CommitBatch,
  two: CommitBatch,
): Promise<string[]> {
  const answers = await Promise.all([refusal(stores[0].commit(one)), refusal(stores[1].commit(two))]);
  return answers.toSorted();
}

export const RACE_CLAIMS: Claims = {
  "LEASE-2 of two writers of one execution exactly one wins": async (subject) => {
    const stores = await both(subject);
    await stores[0].commit(batch(append("a", 0)));
    for (let round = 1; round <= ROUNDS; round++) {
      const one = append("a", 2 * round, { body: "one" });
      expect(await race(stores, batch(one), batch(append("a", 2 * round, { body: "two" })))).toEqual(ONE_WINS);
      await expectAt(stores[round % 2]!, "a", 2 * round + 2);
    }
    expect((await readBlocks(stores[0], "a")).length).toBe(ROUNDS + 1);
  },

  "LEASE-2 of two who create one execution exactly one does": async (subject) => {
    const stores = await both(subject);
    for (let round = 0; round < ROUNDS; round++) {
      const one = append(`e${round}`, 0, { body: "one" });
      expect(await race(stores, batch(one), batch(append(`e${round}`, 0, { body: "two" })))).toEqual(ONE_WINS);
    }
    expect(await found(stores[1])).toHaveLength(ROUNDS);
  },

  "LEASE-4 of two take-overs at the same time exactly one succeeds, with an event or without": async (subject) => {
    const stores = await both(subject);
    await stores[0].commit(batch(append("a", 0)));
    let seq = 2;
    for (let epoch = 2; epoch < 2 + ROUNDS; epoch++) {
      const change = { expectedEpoch: epoch - 1, epoch };
      const rivals: [Append, Append] = [append("a", seq, change), blockless("a", seq, change)];
      expect(await race(stores, batch(rivals[epoch % 2]!), batch(rivals[1 - (epoch % 2)]!))).toEqual(ONE_WINS);
      ({ seq } = (await loaded(stores[0], "a")).projection);
      await expectAt(stores[1], "a", seq, epoch);
    }
  },

  "LEASE-3 an owner that was taken over is refused, although the new one has written nothing else": async (subject) => {
    const [old, young] = await both(subject);
    await old.commit(batch(append("a", 0)));
    await old.commit(batch(append("a", 2)));
    await young.commit(batch(blockless("a", 4, { expectedEpoch: 1, epoch: 2 })));
    for (const late of [append("a", 4), blockless("a", 4)])
      expect(await refusal(old.commit(batch(late)))).toBe("STORE_FENCED");
    await young.commit(batch(append("a", 4, { epoch: 2 })));
    await expectAt(old, "a", 6, 2);
  },

  "two batches of the same executions in opposite order do not stand in each other's way": async (subject) => {
    const stores = await both(subject);
    const ids = Array.from({ length: 12 }, (_, index) => `e${index}`);
    await stores[0].commit(batch(...ids.map((id) => append(id, 0))));
    for (let round = 1; round <= ROUNDS; round++) {
      const appends = ids.map((id) => append(id, 2 * round));
      expect(await race(stores, batch(...appends), batch(...appends.toReversed()))).toEqual(ONE_WINS);
    }
    for (const id of ids) await expectAt(stores[1], id, 2 * ROUNDS + 2);
  },
};
