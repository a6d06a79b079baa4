import { executionId, type EpochMs } from "@segno/kernel";
import { expect } from "vitest";
import type { NewMessage, Store } from "../../../src/store/store.ts";
import { expectAt, found, refusal, type Claims } from "./claim.ts";
import { append, batch, blockless, message } from "./sample.ts";

const start = (id: string, body: string): NewMessage => ({ ...message(id, body), isStart: true });
const bodies = async (store: Store): Promise<string[]> => (await store.poll()).messages.map(({ body }) => body);

export const INBOX_CLAIMS: Claims = {
  "LEASE-5 what was posted is polled until it is taken, oldest first": async ({ store }) => {
    const ids = [];
    for (const body of ["one", "two", "three"]) ids.push(await store.post(message("a", body)));
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right));
    const { messages } = await store.poll();
    expect(messages.map(({ id }) => id)).toEqual(ids);
    expect(messages[0]).toEqual({ id: ids[0], ...message("a", "one") });
    expect(await bodies(store)).toEqual(["one", "two", "three"]);
  },

  "LEASE-5 a message is taken with the append that it led to": async ({ store }) => {
    const first = await store.post(message("a", "start"));
    const second = await store.post(message("a", "signal"));
    await store.commit({ appends: [append("a", 0)], consumedMessages: [first] });
    expect(await bodies(store)).toEqual(["signal"]);
    await store.commit({ appends: [append("a", 2)], consumedMessages: [second] });
    expect(await bodies(store)).toEqual([]);
    await expectAt(store, "a", 4);
  },

  "LEASE-5 a message that led to nothing is taken without an append, or with one that has no block": async ({
    store,
  }) => {
    await store.commit(batch(append("a", 0)));
    const ids = [await store.post(message("a", "late")), await store.post(message("gone", "later"))];
    await store.commit({ appends: [blockless("a", 2)], consumedMessages: [ids[0]!] });
    await store.commit({ appends: [], consumedMessages: [ids[1]!] });
    expect(await bodies(store)).toEqual([]);
    await expectAt(store, "a", 2);
  },

  "LEASE-5 a refused commit takes nothing": async ({ store }) => {
    await store.commit(batch(append("a", 0)));
    const id = await store.post(message("a", "cancel"));
    expect(await refusal(store.commit({ appends: [append("a", 0)], consumedMessages: [id] }))).toBe("STORE_FENCED");
    expect(await bodies(store)).toEqual(["cancel"]);
  },

  "LEASE-5 a message cannot be taken twice, and who tries writes nothing": async ({ store }) => {
    const id = await store.post(message("a", "start"));
    await store.commit({ appends: [append("a", 0)], consumedMessages: [id] });
    for (const taken of [[id], [id + 1000]])
      expect(await refusal(store.commit({ appends: [append("b", 0)], consumedMessages: taken }))).toBe("STORE_FENCED");
    const other = await store.post(message("c", "twice"));
    expect(await refusal(store.commit({ appends: [append("c", 0)], consumedMessages: [other, other] }))).toBe(
      "STORE_FENCED",
    );
    expect(await found(store)).toEqual(["a"]);
    expect(await bodies(store)).toEqual(["twice"]);
  },

  "ids rise even when everything was taken": async ({ store }) => {
    const first = await store.post(message("a", "one"));
    await store.commit({ appends: [], consumedMessages: [first] });
    expect(await store.post(message("a", "two"))).toBeGreaterThan(first);
  },

  "LEASE-5 anyone may post while another writes, and nothing is lost": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const names = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const post = async (by: Store, poster: string): Promise<void> => {
      for (const name of names) await by.post(message("a", `${poster} ${name}`));
    };
    const write = async (): Promise<void> => {
      for (let index = 0; index < 50; index++) await store.commit(batch(append("a", 2 * index)));
    };
    await Promise.all([post(store, "one"), post(other, "two"), write()]);
    const posted = await bodies(store);
    expect(posted).toHaveLength(100);
    for (const poster of ["one", "two"])
      expect(posted.filter((body) => body.startsWith(poster))).toEqual(names.map((name) => `${poster} ${name}`));
    expect(await other.poll()).toEqual(await store.poll());
    await expectAt(other, "a", 100);
  },

  "INBOX_FULL what waits for an execution is limited, and others are not held up by it": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const first = await store.post(message("a", "one"), 2);
    await other.post(message("a", "two"), 2);
    expect(await refusal(other.post(message("a", "three"), 2))).toBe("INBOX_FULL");
    expect(await refusal(store.post(message("a", "three"), 0))).toBe("INBOX_FULL");
    await store.post(message("b", "for another"), 2);
    await store.commit({ appends: [], consumedMessages: [first] });
    await other.post(message("a", "three"), 2);
    await store.post(message("a", "four"));
    expect(await bodies(store)).toEqual(["two", "for another", "three", "four"]);
  },

  "K12 LEASE-5 a start is refused while another start with its id is posted": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const id = await store.post(start("a", "pay"));
    expect(await refusal(other.post(start("a", "refund")))).toBe("EXECUTION_EXISTS");
    await other.post(message("a", "cancel"));
    await other.post(start("b", "refund"));
    expect(await bodies(store)).toEqual(["pay", "cancel", "refund"]);
    expect((await other.poll({ execution: executionId("a") })).messages[0]).toEqual({ id, ...start("a", "pay") });
    await store.commit({ appends: [], consumedMessages: [id] });
    await other.post(start("a", "refund"));
    expect(await bodies(store)).toEqual(["cancel", "refund", "refund"]);
  },

  "K12 LEASE-5 a start is refused if its execution exists": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    await store.commit(batch(append("a", 0)));
    expect(await refusal(other.post(start("a", "pay")))).toBe("EXECUTION_EXISTS");
    expect(await bodies(other)).toEqual([]);
  },

  "K12 the same start posted again adds nothing, and returns its id": async ({ store, second }) => {
    const other = (await second?.()) ?? store;
    const id = await store.post(start("a", "pay"), 1);
    expect(await other.post(start("a", "pay"), 1)).toBe(id);
    expect(await bodies(store)).toEqual(["pay"]);
    await store.commit({ appends: [append("a", 0)], consumedMessages: [id] });
    expect(await refusal(other.post(start("a", "pay")))).toBe("EXECUTION_EXISTS");
  },

  "K12 LEASE-5 an execution is not created beside its posted start, and who tries writes nothing": async ({
    store,
    second,
  }) => {
    const other = (await second?.()) ?? store;
    const id = await other.post(start("a", "pay"));
    expect(await refusal(store.commit(batch(append("a", 0))))).toBe("STORE_FENCED");
    expect(await refusal(store.commit(batch(append("b", 0), append("a", 0))))).toBe("STORE_FENCED");
    expect(await found(store)).toEqual([]);
    await store.commit({ appends: [append("a", 0), append("b", 0)], consumedMessages: [id] });
    await other.post(message("a", "cancel"));
    await store.commit(batch(append("a", 2)));
    expect(await found(store)).toEqual(["a", "b"]);
  },

  "a message whose time is no integer is a bug, and is not posted": async ({ store }) => {
    const wrong = { ...message("a", "now and a half"), postedAt: 1.5 as EpochMs };
    await expect(store.post(wrong)).rejects.toThrow(/^F2/u);
    expect(await bodies(store)).toEqual([]);
  },
};
