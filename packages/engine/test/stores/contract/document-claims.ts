// Documents (K14). For a store within one process, both connections are the same one.

import { expect } from "vitest";
import type { StoredDocument } from "../../../src/store/document-store.ts";
import { refusal, type Claims, type ContractStore, type Subject } from "./claim.ts";
import { append, at, batch, toId } from "./sample.ts";

const document = (key: string, value: unknown = key, kind = "token"): StoredDocument => {
  return { kind, key, body: JSON.stringify(value) };
};

async function both({ store, second }: Subject): Promise<readonly [ContractStore, ContractStore]> {
  return [store, (await second?.()) ?? store];
}

/** Names that a store could confuse with each other, with SQL, or with members of an object. In order of code points. */
const HOSTILE: readonly string[] = [
  "",
  " ",
  "\u0001",
  "%",
  "' OR 1=1; DROP TABLE documents; --",
  '"',
  "../../etc/passwd",
  "0",
  "00",
  "1e3",
  "A",
  "__proto__",
  "a",
  "a%",
  "a\n",
  "constructor",
  "x".repeat(1024),
  "e\u0301",
  "\u00E9",
  "\uFF5E",
  "\u{1F600}",
].toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));

export const DOCUMENT_CLAIMS: Claims = {
  "K14 a document is found by kind and key, until it is removed": async ({ store: { documents } }) => {
    expect(await documents.get("token", "a")).toBeUndefined();
    await documents.put(document("a", { n: 1 }));
    await documents.put(document("a", "of another kind", "hook"));
    expect(await documents.get("token", "a")).toBe(document("a", { n: 1 }).body);
    expect(await documents.get("token", "A")).toBeUndefined();
    await documents.put(document("a", { n: 2 }));
    expect(await documents.get("token", "a")).toBe(document("a", { n: 2 }).body);
    expect([await documents.remove("token", "a"), await documents.remove("token", "a")]).toEqual([true, false]);
    expect(await documents.get("token", "a")).toBeUndefined();
    expect(await documents.get("hook", "a")).toBe(document("a", "of another kind", "hook").body);
  },

  "K14 a document that must not exist is created once": async ({ store: { documents } }) => {
    await documents.put(document("a", 1), null);
    expect(await refusal(documents.put(document("a", 2), null))).toBe("DOCUMENT_CHANGED");
    expect(await refusal(documents.put(document("a", 1), null))).toBe("DOCUMENT_CHANGED");
    expect(await documents.get("token", "a")).toBe(document("a", 1).body);
    await documents.remove("token", "a");
    await documents.put(document("a", 2), null);
    expect(await documents.get("token", "a")).toBe(document("a", 2).body);
  },

  "K14 a document is replaced only if it has the body that was read": async ({ store: { documents } }) => {
    expect(await refusal(documents.put(document("a", 2), "1"))).toBe("DOCUMENT_CHANGED");
    expect(await documents.get("token", "a")).toBeUndefined();
    await documents.put(document("a", 1));
    for (const other of ["2", "", "1 ", "null"])
      expect(await refusal(documents.put(document("a", 3), other))).toBe("DOCUMENT_CHANGED");
    await documents.put(document("a", 1), "1");
    await documents.put(document("a", 2), "1");
    expect(await refusal(documents.put(document("a", 3), "1"))).toBe("DOCUMENT_CHANGED");
    expect(await documents.get("token", "a")).toBe(document("a", 2).body);
    await documents.remove("token", "a");
    expect(await refusal(documents.put(document("a", 3), "2"))).toBe("DOCUMENT_CHANGED");
    expect(await documents.list("token")).toEqual([]);
  },

  "K14 D4 a list has the documents of one kind in order of code points, page by page": async ({
    store: { documents },
  }) => {
    for (const key of HOSTILE.toReversed()) await documents.put(document(key), null);
    await documents.put(document("b", 1, "hook"));
    expect(await documents.list("token")).toEqual(HOSTILE.map((key) => document(key)));
    const keys: string[] = [];
    for (let page = await documents.list("token", { limit: 4 }); page.length > 0;) {
      keys.push(...page.map(({ key }) => key));
      page = await documents.list("token", { after: keys.at(-1)!, limit: 4 });
    }
    expect(keys).toEqual(HOSTILE);
    expect(await documents.list("token", { after: "x".repeat(1023), limit: 1 })).toEqual([document("x".repeat(1024))]);
    expect(await documents.list("unknown")).toEqual([]);
  },

  "K14 a page without a limit has 100 documents": async ({ store: { documents } }) => {
    const keys = Array.from({ length: 101 }, (_, index) => String(1000 + index));
    for (const key of keys) await documents.put(document(key));
    expect((await documents.list("token")).map(({ key }) => key)).toEqual(keys.slice(0, 100));
    expect(await documents.list("token", { after: keys[99]! })).toEqual([document(keys[100]!)]);
  },

  "K10 K14 hostile kinds and keys stay apart, and are replaced and removed alone": async ({ store: { documents } }) => {
    for (const name of HOSTILE) await documents.put(document("key", name, name), null);
    for (const name of HOSTILE) await documents.put(document(name, name, "kind"), null);
    for (const name of HOSTILE) {
      expect(await documents.list(name)).toEqual([document("key", name, name)]);
      await documents.put(document(name, [name], "kind"), JSON.stringify(name));
    }
    for (const [index, name] of HOSTILE.entries()) {
      expect(await documents.list("kind")).toEqual(HOSTILE.slice(index).map((key) => document(key, [key], "kind")));
      expect(await documents.remove("kind", name)).toBe(true);
    }
  },

  "K14 a body of 10 MB is kept exactly, and so is any text of JSON": async ({ store: { documents } }) => {
    const bodies = [
      `"${"é".repeat(5 * 1024 * 1024 - 1)}"`,
      '"\\u0000\\ud800 \u2028 \u{1F600}"',
      " [ 1 , 2.50 ]\n",
      "0",
    ];
    for (const body of bodies) {
      await documents.put({ kind: "large", key: "a", body });
      expect((await documents.get("large", "a")) === body).toBe(true);
      await documents.put({ kind: "large", key: "a", body: "null" }, body);
    }
  },

  "DATA-11 K14 bodies pass through the codec, also one that encodes the same text differently each time": async (
    _,
    open,
  ) => {
    let salt = 0;
    const codec = {
      encode: (body: string): string => `${++salt}:${Buffer.from(body).toString("base64")}`,
      decode: (body: string): string => Buffer.from(body.slice(body.indexOf(":")), "base64").toString(),
    };
    const { documents } = (await open({ codec })).store;
    await documents.put(document("a", 1), null);
    const before = salt;
    await documents.put(document("a", 2), "1");
    expect(salt).toBe(before + 1);
    expect(await refusal(documents.put(document("a", 3), "1"))).toBe("DOCUMENT_CHANGED");
    expect(await documents.get("token", "a")).toBe(document("a", 2).body);
    expect(await documents.list("token")).toEqual([document("a", 2)]);
  },

  "K14 of two writers that read the same body exactly one replaces it": async (subject) => {
    const [one, two] = await both(subject);
    await one.documents.put(document("a", 0));
    for (let round = 0; round < 20; round++) {
      const puts = [
        one.documents.put(document("a", round + 1), `${round}`),
        two.documents.put(document("a", round + 1), `${round}`),
      ];
      expect((await Promise.all(puts.map(refusal))).toSorted()).toEqual(["DOCUMENT_CHANGED", "accepted"]);
    }
    expect(await two.documents.get("token", "a")).toBe(document("a", 20).body);
  },

  "K14 of two writers exactly one creates a document, and exactly one removes it": async (subject) => {
    const [one, two] = await both(subject);
    for (let round = 0; round < 20; round++) {
      const puts = [one.documents.put(document("a", "one"), null), two.documents.put(document("a", "two"), null)];
      expect((await Promise.all(puts.map(refusal))).toSorted()).toEqual(["DOCUMENT_CHANGED", "accepted"]);
      const removals = await Promise.all([one.documents.remove("token", "a"), two.documents.remove("token", "a")]);
      expect(removals.toSorted()).toEqual([false, true]);
    }
  },

  "K14 D1 documents stay when executions are removed, and an append does not meet them": async (subject) => {
    const [store, other] = await both(subject);
    await store.commit(batch(append("a", 0)));
    await other.documents.put(document("a"));
    await store.commit(batch(append("a", 2, { projection: { status: "completed" } })));
    expect(await store.remove(toId("a"))).toBe(true);
    await store.removeEnded(at(9_000_000), 100);
    expect(await store.documents.list("token")).toEqual([document("a")]);
  },

  "K14 the documents of a closed store are refused with STORE_CLOSED": async ({ store }) => {
    await store.documents.put(document("a"));
    await store.close();
    expect(await refusal(store.documents.get("token", "a"))).toBe("STORE_CLOSED");
    expect(await refusal(store.documents.list("token"))).toBe("STORE_CLOSED");
    expect(await refusal(store.documents.put(document("a")))).toBe("STORE_CLOSED");
    expect(await refusal(store.documents.remove("token", "a"))).toBe("STORE_CLOSED");
  },
};
