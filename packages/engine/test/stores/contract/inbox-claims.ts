import { expect } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { expectAt, found, refusal, type Claims } from "./claim.ts";
import { append, batch, blockless, message } from "./sample.ts";

const bodies = async (store: Store): Promise<string[]> => (await store.poll()).messages.map(({ body }) => body);

export const INBOX_CLAIMS: Claims = {
  "LEASE-5 what was posted is polled until it is taken, oldest first": async ({ store }) => {
    const ids = [];
    for (const body of ["one", "two", "three"]) ids.push(await store.post(message("a", body)));
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right));
    const { changed, messages } = await store.poll();
    expect([changed, messages.map(({ id }) => id)]).toEqual([true, ids]);
    expect(messages[0]).toEqual({ id: ids[0], ...message("a", "one") });
    expect(await bodies(store)).toEqual(["one", "two", "three"]);
  },

  "a poll says whether the inbox is another than before": async ({ store }) => {
    await store.poll();
    expect(await store.poll()).toEqual({ changed: false, messages: [] });
    const id = await store.post(message("a", "one"));
    expect((await store.poll()).changed).toBe(true);
    expect((await store.poll()).changed).toBe(false);
    await store.commit(batch(append("a", 0)));
    expect((await store.poll()).changed).toBe(false);
    await store.commit({ appends: [], taken: [id] });
    expect(await store.poll()).toEqual({ changed: true, messages: [] });
    expect((await store.poll()).changed).toBe(false);
  },

  "LEASE-5 a message is taken with the append that it led to": async ({ store }) => {
    const first = await store.post(message("a", "start"));
    const second = await store.post(message("a", "signal"));
    await store.commit({ appends: [append("a", 0)], taken: [first] });
    expect(await bodies(store)).toEqual(["signal"]);
    await store.commit({ appends: [append("a", 2)], taken: [second] });
    expect(await bodies(store)).toEqual([]);
    await expectAt(store, "a", 4);
  },

  "LEASE-5 a message that led to nothing is taken without an append, or with one that has no block": async ({
    store,
  }) => {
    await store.commit(batch(append("a", 0)));
    const ids = [await store.post(message("a", "late")), await store.post(message("gone", "later"))];
    await store.commit({ appends: [blockless("a", 2)], taken: [ids[0]!] });
    await store.commit({ appends: [], taken: [ids[1]!] });
    expect(await bodies(store)).toEqual([]);
    await expectAt(store, "a", 2);
  },

  "LEASE-5 a refused commit takes nothing": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const id = await store.post(message("a", "cancel"));
    expect(await refusal(store.commit({ appends: [append("a", 0)], taken: [id] }))).toBe("STORE_FENCED");
    expect(await bodies(store)).toEqual(["cancel"]);
  },

  "LEASE-5 a message cannot be taken twice, and who tries writes nothing": async ({ store }) => {
    const id = await store.post(message("a", "start"));
    await store.commit({ appends: [append("a", 0)], taken: [id] });
    for (const taken of [[id], [id + 1000]])
      expect(await refusal(store.commit({ appends: [append("b", 0)], taken }))).toBe("STORE_FENCED");
    const other = await store.post(message("c", "twice"));
    expect(await refusal(store.commit({ appends: [append("c", 0)], taken: [other, other] }))).toBe("STORE_FENCED");
    expect(await found(store)).toEqual(["a"]);
    expect(await bodies(store)).toEqual(["twice"]);
  },

  "ids rise even when everything was taken": async ({ store }) => {
    const first = await store.post(message("a", "one"));
    await store.commit({ appends: [], taken: [first] });
    expect(await store.post(message("a", "two"))).toBeGreaterThan(first);
  },

  "LEASE-5 anyone may post while another writes, and nothing is lost": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const posts = [];
    for (let index = 0; index < 100; index++) {
      posts.push((index % 2 === 0 ? store : other).post(message("a", `m${index}`)));
      posts.push(store.commit(batch(append("a", 2 * index))));
    }
    await Promise.all(posts);
    expect(await bodies(store)).toEqual(Array.from({ length: 100 }, (_, index) => `m${index}`));
    expect(await bodies(other)).toEqual(await bodies(store));
    await expectAt(other, "a", 200);
  },
};
