import { expect } from "vitest";
import { readBlocks, type Claims } from "./claim.ts";
import { append, batch, content, hashText, toId, message } from "./sample.ts";

const SEALED = {
  encode: (body: string): string => Buffer.from(body).toString("base64"),
  decode: (body: string): string => Buffer.from(body, "base64").toString(),
};

export const CONTENT_CLAIMS: Claims = {
  "values belong to their execution": async ({ store }) => {
    const value = content("mine");
    await store.commit(batch(append("a", 0, { values: [value] }), append("b", 0)));
    const hashes = [value.hash, hashText("nobody's")];
    expect(await store.contents({ kind: "values", execution: toId("a"), hashes })).toEqual(
      new Map([[value.hash, "mine"]]),
    );
    expect(await store.contents({ kind: "values", execution: toId("b"), hashes })).toEqual(new Map());
    expect(await store.contents({ kind: "values", execution: toId("nobody"), hashes })).toEqual(new Map());
    expect(await store.contents({ kind: "definitions", hashes })).toEqual(new Map());
  },

  "a value that comes twice is kept once": async ({ store }) => {
    const value = content("again");
    await store.commit(batch(append("a", 0, { values: [value, value] })));
    await store.commit(batch(append("a", 2, { values: [value] })));
    const request = { kind: "values", execution: toId("a"), hashes: [value.hash, value.hash] } as const;
    expect(await store.contents(request)).toEqual(new Map([[value.hash, "again"]]));
  },

  "CONTRACT-8 a definition is stored once, whoever brings it": async ({ store }) => {
    const definition = content("{}");
    await store.commit(
      batch(append("a", 0, { definitions: [definition] }), append("b", 0, { definitions: [definition] })),
    );
    await store.post({ ...message("c", "start"), definitions: [definition, content("[]")] });
    const hashes = [definition.hash, hashText("[]"), hashText("none")];
    const bodies = new Map([
      [definition.hash, "{}"],
      [hashText("[]"), "[]"],
    ]);
    expect(await store.contents({ kind: "definitions", hashes })).toEqual(bodies);
  },

  "DATA-11 every body passes through the codec and back": async (_, open) => {
    const seen: string[] = [];
    const encode = (body: string): string => (seen.push(body), SEALED.encode(body));
    const { store } = await open({ codec: { ...SEALED, encode } });
    // Ignores the codec probe of the store.
    seen.length = 0;
    const value = content("the value");
    const definition = content("the definition");
    await store.commit(batch(append("a", 0, { body: "the block", values: [value], definitions: [definition] })));
    await store.post(message("a", "the message"));
    expect(seen.toSorted()).toEqual(["the block", "the definition", "the message", "the value"]);
    expect((await readBlocks(store, "a"))[0]?.body).toBe("the block");
    const hashes = [value.hash, definition.hash];
    expect([...(await store.contents({ kind: "values", execution: toId("a"), hashes })).values()]).toEqual([
      "the value",
    ]);
    expect([...(await store.contents({ kind: "definitions", hashes })).values()]).toEqual(["the definition"]);
    expect((await store.poll()).messages.map(({ body }) => body)).toEqual(["the message"]);
  },
};
