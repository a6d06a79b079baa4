// Documents as a program uses them: through `engine.extensions.documents`, on every store (K14).

import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import {
  Engine,
  type Codec,
  type DocumentStore,
  type EngineOptions,
  type EngineStore,
  type StoredDocument,
} from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { refusal } from "../stores/contract/claim.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { collect } from "./collect.ts";
import { one } from "./sample-flow.ts";

const scratch = scratchFolder();
const open: Engine[] = [];

/** Closes engines in reverse order, before the files are removed. */
afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

async function openEngine(options: EngineOptions): Promise<{ engine: Engine; documents: DocumentStore }> {
  const engine = await Engine.open({ agents: { work: async () => 1 }, ...options });
  open.push(engine);
  return { engine, documents: engine.extensions.documents! };
}

const TOKEN: StoredDocument = { kind: "token", key: "ci", body: '{"scopes":["read"]}' };
const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** A custom store: a memory store with other documents. */
function withDocuments(documents: DocumentStore | undefined): EngineStore {
  const store = new MemoryStore();
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "documents") return documents;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

describe("the documents of an engine", () => {
  it.each([
    ["a file", () => ({ file: scratch.file() })],
    ["a file with a writer thread", () => ({ file: scratch.file(), writer: "thread" as const })],
    ["memory", () => ({ store: new MemoryStore() })],
    ["no store", () => ({ store: "none" as const })],
  ])("K14 are kept in %s", async (_, options) => {
    const { documents } = await openEngine(options());
    await documents.put(TOKEN, null);
    expect(await refusal(documents.put(TOKEN, null))).toBe("DOCUMENT_CHANGED");
    await documents.put({ ...TOKEN, body: "2" }, TOKEN.body);
    expect(await documents.get("token", "ci")).toBe("2");
    expect(await documents.list("token", { limit: 1, after: "a" })).toEqual([{ ...TOKEN, body: "2" }]);
    expect(await documents.remove("token", "ci")).toBe(true);
    expect(await documents.list("token")).toEqual([]);
  });

  it.each(["main", "thread"] as const)(
    "K14 LEASE-5 are read and written also by an engine that does not own the file, on the %s",
    async (writer) => {
      const file = scratch.file();
      const { engine: owner, documents: mine } = await openEngine({ file, writer });
      const { engine: follower, documents: others } = await openEngine({ file, writer });
      const { engine: poster, documents: posted } = await openEngine({ file, writer, mode: "post" });
      expect([owner.isOwner, follower.isOwner, poster.isOwner]).toEqual([true, false, false]);
      await posted.put(TOKEN, null);
      expect(await mine.get("token", "ci")).toBe(TOKEN.body);
      await others.put({ ...TOKEN, body: "2" }, TOKEN.body);
      expect(await refusal(mine.put({ ...TOKEN, body: "3" }, TOKEN.body))).toBe("DOCUMENT_CHANGED");
      expect(await refusal(posted.put({ ...TOKEN, body: "3" }, TOKEN.body))).toBe("DOCUMENT_CHANGED");
      // The owner's own work goes on beside them.
      expect(await (await owner.start(one())).result()).toBe(1);
      for (const engine of open.splice(0)) await engine.close();
      const { documents } = await openEngine({ file });
      expect(await documents.list("token")).toEqual([{ ...TOKEN, body: "2" }]);
    },
  );
});

describe("documents that an engine cannot give", () => {
  it("K14 are undefined with a store that keeps none", async () => {
    const { engine } = await openEngine({ store: withDocuments(undefined) });
    expect(engine.extensions.documents).toBeUndefined();
  });

  it("K7 K14 report an unknown error of a store as STORE_IO, also one that is thrown at once", async () => {
    const documents = {
      get: () => Promise.reject(new Error("offline")),
      list: () => {
        throw new TypeError("no list");
      },
      put: () => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
      remove: () => Promise.reject(new Error("offline")),
    };
    const { documents: checked } = await openEngine({ store: withDocuments(documents) });
    expect(await refusal(checked.get("token", "ci"))).toBe("STORE_IO");
    expect(await refusal(checked.list("token"))).toBe("STORE_IO");
    expect(await refusal(checked.put(TOKEN))).toBe("STORE_IO");
    expect(await refusal(checked.remove("token", "ci"))).toBe("STORE_IO");
  });

  it("K14 are refused with ENGINE_CLOSED when the engine is closed", async () => {
    const { engine, documents } = await openEngine({ store: new MemoryStore() });
    await engine.close();
    expect(await refusal(documents.get("token", "ci"))).toBe("ENGINE_CLOSED");
    expect(await refusal(documents.list("token"))).toBe("ENGINE_CLOSED");
    expect(await refusal(documents.put(TOKEN))).toBe("ENGINE_CLOSED");
    expect(await refusal(documents.remove("token", "ci"))).toBe("ENGINE_CLOSED");
  });

  it("K14 are only read by an engine that is opened as `readOnly`", async () => {
    const file = scratch.file();
    await (await openEngine({ file })).documents.put(TOKEN);
    const { documents } = await openEngine({ file, mode: "readOnly" });
    expect(await documents.get("token", "ci")).toBe(TOKEN.body);
    expect(await refusal(documents.put(TOKEN))).toBe("ENGINE_NOT_OWNER");
    expect(await refusal(documents.remove("token", "ci"))).toBe("ENGINE_NOT_OWNER");
    expect(await documents.list("token")).toEqual([TOKEN]);
  });
});

it("K14 a test engine keeps documents, also after a crash", async () => {
  await using test = await openTestEngine();
  await test.engine.extensions.documents!.put(TOKEN, null);
  await test.crash();
  expect(await test.engine.extensions.documents!.list("token")).toEqual([TOKEN]);
});

describe("bad input for documents", () => {
  const NAMES: readonly unknown[] = ["a\u0000b", "\uD800", "x".repeat(1025), undefined, null, 1, {}, ["a"]];

  it.each(NAMES)("K10 K14 the name %j is refused with NAME_INVALID, and nothing is stored", async (name) => {
    const { documents } = await openEngine({ store: new MemoryStore() });
    const bad = name as string;
    expect(await refusal(documents.get(bad, "a"))).toBe("NAME_INVALID");
    expect(await refusal(documents.get("a", bad))).toBe("NAME_INVALID");
    expect(await refusal(documents.list(bad))).toBe("NAME_INVALID");
    expect(await refusal(documents.put({ kind: bad, key: "a", body: "1" }))).toBe("NAME_INVALID");
    expect(await refusal(documents.put({ kind: "a", key: bad, body: "1" }))).toBe("NAME_INVALID");
    expect(await refusal(documents.remove("a", bad))).toBe("NAME_INVALID");
    expect(await refusal(documents.remove(bad, "a"))).toBe("NAME_INVALID");
    expect(await documents.list("a")).toEqual([]);
  });

  it.each([
    ["no text", undefined],
    ["an object", {}],
    ["an empty text", ""],
    ["text that is not JSON", "{a:1}"],
    ["JSON and more", "1 2"],
    ["a raw U+0000", '"\u0000"'],
    ["a lone surrogate", '"\uD800"'],
    ["too many characters", `"${"a".repeat(BODY_BYTES_MAX)}"`],
    ["too many bytes", `"${"é".repeat(BODY_BYTES_MAX / 2)}"`],
  ])("K14 a body of %s is refused with DOCUMENT_INVALID, and nothing is stored", async (_, body) => {
    const { documents } = await openEngine({ store: new MemoryStore() });
    expect(await refusal(documents.put({ kind: "a", key: "a", body: body as string }))).toBe("DOCUMENT_INVALID");
    expect(await documents.list("a")).toEqual([]);
  });

  it("K14 a body of exactly 10 MB is accepted", async () => {
    const { documents } = await openEngine({ store: new MemoryStore() });
    const body = `"${"é".repeat(BODY_BYTES_MAX / 2 - 1)}"`;
    await documents.put({ kind: "a", key: "a", body });
    expect((await documents.get("a", "a")) === body).toBe(true);
  });

  it.each([0, -1, 1.5, 1001, Infinity, Number.NaN, "5", null])(
    "K14 the limit %j is refused with OPTION_INVALID",
    async (limit) => {
      const { documents } = await openEngine({ store: new MemoryStore() });
      expect(await refusal(documents.list("a", { limit: limit as number }))).toBe("OPTION_INVALID");
    },
  );

  it("K14 options that do nothing, and values of another type, are refused", async () => {
    const { documents } = await openEngine({ store: new MemoryStore() });
    expect(await refusal(documents.list("a", { limits: 1 } as never))).toBe("OPTION_INVALID");
    expect(await refusal(documents.list("a", null as never))).toBe("OPTION_INVALID");
    expect(await refusal(documents.list("a", { after: 1 } as never))).toBe("NAME_INVALID");
    expect(await refusal(documents.put({ ...TOKEN, version: 1 } as never))).toBe("OPTION_INVALID");
    expect(await refusal(documents.put(null as never))).toBe("OPTION_INVALID");
    expect(await refusal(documents.put(TOKEN, 1 as never))).toBe("OPTION_INVALID");
    expect(await documents.list("token")).toEqual([]);
  });
});

describe("documents in a file", () => {
  it("JOURNAL-7 D1 are in a backup and not in the export of an execution", async () => {
    const [file, copy] = [scratch.file(), scratch.file()];
    const { engine, documents } = await openEngine({ file });
    await documents.put(TOKEN);
    const handle = await engine.start(one());
    await handle.result();
    expect((await collect(engine.export(handle.id))).join("\n")).not.toContain("scopes");
    await engine.backup(copy);
    expect(await (await openEngine({ file: copy })).documents.list("token")).toEqual([TOKEN]);
  });

  it("JOURNAL-4 are checked: one that was changed to other text is DOCUMENT_DAMAGED, and the others are not", async () => {
    const file = scratch.file();
    const { engine, documents } = await openEngine({ file });
    for (const key of ["a", "b", "c"]) await documents.put({ ...TOKEN, key });
    const findings = async (): Promise<unknown[]> => (await collect(engine.check())).flatMap((part) => part.findings);
    expect(await findings()).toEqual([]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE documents SET body = '{' WHERE key = 'b'");
    expect(() => database.exec("UPDATE documents SET body = x'00' WHERE key = 'c'")).toThrow("BLOB");
    database.close();
    expect(await findings()).toEqual([
      { code: "DOCUMENT_DAMAGED", message: 'the document "b" of kind "token" is not JSON text' },
    ]);
    await documents.put({ ...TOKEN, key: "b" });
    expect(await findings()).toEqual([]);
  });

  it("JOURNAL-4 DATA-11 one that the codec cannot decode is named by the fault and by the check, and can be removed", async () => {
    const file = scratch.file();
    const codec: Codec = {
      encode: (body) => `sealed ${body}`,
      decode(body) {
        if (!body.startsWith("sealed ")) throw new Error("the seal is broken");
        return body.slice("sealed ".length);
      },
    };
    const { engine, documents } = await openEngine({ file, codec });
    for (const key of ["a", "b"]) await documents.put({ ...TOKEN, key });
    const database = new DatabaseSync(file);
    database.exec("UPDATE documents SET body = 'open' WHERE key = 'b'");
    database.close();
    const named = {
      code: "STORE_CODEC",
      message: expect.stringContaining('the document "b" of kind "token"') as string,
    };
    await expect(documents.get("token", "b")).rejects.toMatchObject(named);
    await expect(documents.list("token")).rejects.toMatchObject(named);
    await expect(documents.put({ ...TOKEN, key: "b" }, TOKEN.body)).rejects.toMatchObject(named);
    expect(await documents.list("token", { limit: 1 })).toEqual([{ ...TOKEN, key: "a" }]);
    expect((await collect(engine.check())).flatMap((part) => part.findings)).toMatchObject([
      { code: "DOCUMENT_DAMAGED", message: expect.stringContaining('"b"') as string },
    ]);
    expect(await documents.remove("token", "b")).toBe(true);
    expect(await documents.list("token")).toEqual([{ ...TOKEN, key: "a" }]);
  });
});
