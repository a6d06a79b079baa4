// The SQLite store when SQLite fails to read: which reads are retried, and how often the file is reopened.

import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { openConnection, type SqliteConnection } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { DamagedPages } from "../running/damaged-pages.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, batch, toId, message } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const IDS = Array.from({ length: 30 }, (_, index) => `execution-${index}-${"x".repeat(200)}`);
const opened: DamagedPages[] = [];
afterEach(() => {
  for (const pages of opened.splice(0)) pages.close();
});

interface Held {
  readonly store: SqliteStore;
  readonly pages: DamagedPages;
  /** The number of times that the file was reopened. */
  readonly reopened: () => number;
  /** Advances time. */
  readonly wait: (ms: number) => void;
}

async function held(): Promise<Held> {
  const file = scratch.file();
  const first = await openSqliteStore(file);
  for (const id of IDS) await first.commit(batch(append(id, 0, { body: "x".repeat(300) })));
  await first.close();
  let [count, nowMs] = [0, 0];
  const open = (): SqliteConnection => openConnection(file, { durability: "relaxed" });
  const reopen = (): SqliteConnection => {
    count++;
    return open();
  };
  const store = new SqliteStore(open(), { open: reopen, monotonicMs: () => nowMs });
  const pages = new DamagedPages(file);
  opened.push(pages);
  scratch.closing(store);
  return { store, pages, reopened: () => count, wait: (ms) => void (nowMs += ms) };
}

describe("a read that SQLite fails at", () => {
  it("STORE_CORRUPT is tried once more over a new connection, and says what a check of the file finds", async () => {
    const { store, pages, reopened, wait } = await held();
    pages.spoilAll();
    await expect(store.load(toId(IDS[0]!))).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining("a check of the file finds"),
    });
    expect(reopened()).toBe(1);
    pages.restore();
    wait(100);
    for (const id of IDS) await expectAt(store, id, 2);
  });

  it("does not open the file more than ten times a second", async () => {
    const { store, pages, reopened, wait } = await held();
    pages.spoilAll();
    for (const id of IDS) await refusal(store.load(toId(id)));
    expect(reopened()).toBe(1);
    wait(100);
    for (const id of IDS) await refusal(store.find({ limit: 9, correlationId: id }));
    expect(reopened()).toBe(2);
  });

  it("says nothing about what is stored: nothing is unreadable, and what is written afterwards is kept", async () => {
    const { store, pages, wait } = await held();
    pages.spoil("sqlite_autoindex_executions_1");
    expect(await refusal(store.post(message("a", "kept")))).toBe("accepted");
    expect(await refusal(store.load(toId(IDS[0]!)))).toMatch(/^STORE_(?:IO|CORRUPT)$/u);
    expect(await refusal(store.commit(batch(append(IDS[0]!, 2))))).toMatch(/^STORE_(?:IO|CORRUPT)$/u);
    pages.restore();
    wait(100);
    await refusal(store.load(toId(IDS[0]!)));
    await store.commit(batch(append(IDS[0]!, 2)));
    await expectAt(store, IDS[0]!, 4);
    expect((await store.poll()).messages.map(({ body }) => body)).toEqual(["kept"]);
  });
});

describe("a log that cannot be read for a while", () => {
  async function logged(): Promise<{ readonly store: SqliteStore; readonly log: string; readonly wait: Held["wait"] }> {
    const file = scratch.file();
    let nowMs = 0;
    const open = (): SqliteConnection => openConnection(file, { durability: "relaxed" });
    await (await openSqliteStore(file)).close();
    const writer = scratch.closing(new SqliteStore(open(), {}));
    for (const id of IDS) await writer.commit(batch(append(id, 0, { body: "x".repeat(300) })));
    const store = scratch.closing(new SqliteStore(open(), { open, monotonicMs: () => nowMs }));
    return { store, log: `${file}-wal`, wait: (ms) => void (nowMs += ms) };
  }

  it("STORE_IO is a fault of reading, also where SQLite's check reports it like damage, and it is over at once", async () => {
    const { store, log, wait } = await logged();
    const content = readFileSync(log);
    truncateSync(log, 32);
    expect(await refusal(store.load(toId(IDS[0]!)))).toBe("STORE_IO");
    expect(await refusal(store.integrity())).toBe("STORE_IO");
    writeFileSync(log, content);
    wait(100);
    for (const id of IDS) await expectAt(store, id, 2);
    expect(await store.integrity()).toEqual([]);
  });
});

describe("a codec that fails for a while", () => {
  it("STORE_CODEC makes nothing unreadable; a row that it cannot decode is retried, and an examination names it", async () => {
    const file = scratch.file();
    let isDown = false;
    const codec = {
      encode: (body: string) => `+${body}`,
      decode: (body: string) => {
        if (isDown || !body.startsWith("+")) throw new Error("no key");
        return body.slice(1);
      },
    };
    const store = scratch.closing(await openSqliteStore(file, { codec, durability: "relaxed" }));
    await store.commit(batch(append("a", 0), append("b", 0)));
    await store.post(message("a", "posted"));
    isDown = true;
    expect(await refusal(store.load(toId("a")))).toBe("STORE_CODEC");
    expect(await refusal(store.poll())).toBe("STORE_CODEC");
    isDown = false;
    await expectAt(store, "a", 2);
    openConnection(file).execute("UPDATE journal SET body = 'x' WHERE id = 1");
    expect(await refusal(store.load(toId("a")))).toBe("STORE_CODEC");
    expect(await store.examine(toId("a"))).toMatchObject({ damage: "the codec cannot decode a row: no key" });
    await expectAt(store, "b", 2);
  });
});
