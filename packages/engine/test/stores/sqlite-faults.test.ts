// The SQLite store when the disk, the file or the write-ahead log is faulty.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { APPLICATION_ID, openConnection, type SqliteConnection } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, batch, toId, message } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { readState } from "./store-state.ts";
import { workload } from "./workload.ts";

const scratch = scratchFolder();

/** A store, with access to its connection. */
async function openHeld(file: string): Promise<{ store: SqliteStore; connection: SqliteConnection }> {
  await (await openSqliteStore(file)).close();
  const connection = openConnection(file, { durability: "relaxed" });
  return { store: scratch.closing(new SqliteStore(connection)), connection };
}

function sql(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

describe("a full disk", () => {
  const ROUNDS = 10;

  /** Runs the workload with space for a number of pages; every failed write is retried with one more page. */
  async function runWith(pages: number, expected: readonly string[]): Promise<number> {
    const { store, connection } = await openHeld(scratch.file());
    let limit = pages;
    let failures = 0;
    connection.execute(`PRAGMA max_page_count = ${limit}`);
    for (const [index, write] of workload(ROUNDS).entries()) {
      for (let code = await refusal(write(store)); code !== "accepted"; code = await refusal(write(store))) {
        expect([code, await readState(store)]).toEqual(["STORE_FULL", expected[index]]);
        failures += 1;
        connection.execute(`PRAGMA max_page_count = ${++limit}`);
      }
      expect(await readState(store)).toBe(expected[index + 1]);
    }
    expect(pragma(connection.database, "integrity_check")).toBe("ok");
    await store.close();
    return failures;
  }

  it("JOURNAL-5 is met at every page: nothing half-written is seen, and the store goes on when there is room", async () => {
    const { store, connection } = await openHeld(scratch.file());
    const first = pragma(connection.database, "page_count") as number;
    const expected = [await readState(store)];
    for (const write of workload(ROUNDS)) {
      await write(store);
      expected.push(await readState(store));
    }
    const last = pragma(connection.database, "page_count") as number;
    expect(last - first).toBeGreaterThan(20);
    expect(await runWith(first, expected)).toBeGreaterThan(20);
    for (let pages = first + 1; pages < last; pages++) expect(await runWith(pages, expected)).toBeGreaterThan(0);
    expect(await runWith(last, expected)).toBe(0);
  });

  it("is one that was asked for when the store may only grow so far", async () => {
    const store = scratch.closing(await openSqliteStore(scratch.file(), { sizeMaxBytes: 200_000 }));
    await store.commit(batch(append("a", 0)));
    expect(await refusal(store.commit(batch(append("a", 2, { body: "x".repeat(300_000) }))))).toBe("STORE_FULL");
    await store.commit(batch(append("a", 2, { body: "x".repeat(30_000) })));
    await expectAt(store, "a", 4);
  });
});

/** The store after each write of the workload, and its two files as a crash would leave them. */
async function crashed(): Promise<{ states: string[]; database: Buffer; log: Buffer }> {
  const file = scratch.file();
  const store = scratch.closing(await openSqliteStore(file, { durability: "relaxed" }));
  const states = [await readState(store)];
  for (const write of workload(6)) {
    await write(store);
    states.push(await readState(store));
  }
  return { states, database: readFileSync(file), log: readFileSync(`${file}-wal`) };
}

function listCuts(bytes: number): number[] {
  let seed = 7;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  return [0, 1, 31, 32, 33, bytes, ...Array.from({ length: 150 }, () => next() % bytes)].toSorted((a, b) => a - b);
}

describe("a log of writes that was cut", () => {
  it("JOURNAL-4 leaves what was committed up to some moment, whole, wherever it was cut", async () => {
    const { states, database, log } = await crashed();
    let reached = -1;
    for (const cut of listCuts(log.length)) {
      const file = scratch.file();
      writeFileSync(file, database);
      writeFileSync(`${file}-wal`, log.subarray(0, cut));
      const store = await openSqliteStore(file, { durability: "relaxed" });
      const moment = states.indexOf(await readState(store));
      expect([cut, moment >= Math.max(0, reached)]).toEqual([cut, true]);
      reached = moment;
      await store.close();
      const copy = new DatabaseSync(file);
      expect(pragma(copy, "integrity_check")).toBe("ok");
      copy.close();
    }
    expect(reached).toBe(states.length - 1);
  });

  it("JOURNAL-4 whose bytes were changed ends before the change, and no check can tell that there was more", async () => {
    const { states, database, log } = await crashed();
    for (const place of listCuts(log.length).slice(6, 40)) {
      const file = scratch.file();
      const damaged = Buffer.from(log);
      damaged[place] = damaged[place]! ^ 0xff;
      writeFileSync(file, database);
      writeFileSync(`${file}-wal`, damaged);
      const store = await openSqliteStore(file, { durability: "relaxed" });
      expect(states).toContain(await readState(store));
      expect(await store.integrity()).toEqual([]);
      await store.close();
    }
  });
});

describe("a damaged journal", () => {
  let file: string;

  beforeEach(async () => {
    file = scratch.file();
    const store = await openSqliteStore(file);
    await store.commit(batch(append("a", 0), append("b", 0), append("a", 2), append("b", 2), append("a", 4)));
    await store.close();
  });

  const DAMAGES: Readonly<Record<string, string>> = {
    "a first block is missing": "DELETE FROM journal WHERE id = 1",
    "a block in the middle is missing": "DELETE FROM journal WHERE id = 3",
    "the last block is missing": "DELETE FROM journal WHERE id = 5",
    "a block was renumbered": "UPDATE journal SET first_seq = 4 WHERE id = 3",
    "a block claims more events than it follows by": "UPDATE journal SET count = 3 WHERE id = 1",
    "the head is another": "UPDATE executions SET head = 'another' WHERE id = 'a'",
    "a link leads into another execution": "UPDATE journal SET previous = 4 WHERE id = 5",
    "a link leads in a circle": "UPDATE journal SET previous = 5 WHERE id = 3",
  };

  for (const [damage, statement] of Object.entries(DAMAGES))
    it(`JOURNAL-6 makes its execution unreadable and no other: ${damage}`, async () => {
      sql(file, statement);
      const store = scratch.closing(await openSqliteStore(file));
      expect(await store.load(toId("a"))).toMatchObject({ kind: "unreadable", id: "a" });
      await expectAt(store, "b", 4);
      await store.commit(batch(append("b", 4)));
      await store.quarantine(toId("a"), damage);
      expect((await store.find({ limit: 9 })).executions.map(({ quarantined }) => quarantined)).toEqual([
        damage,
        undefined,
      ]);
      expect(await store.remove(toId("a"))).toBe(true);
      await expectAt(store, "b", 6);
    });

  it("JOURNAL-6 STORE_CODEC is not known as damaged where the codec cannot decode it", async () => {
    const codec = {
      encode: String,
      decode: (body: string): string => {
        if (body === "segno") return body;
        throw new Error("the key is wrong");
      },
    };
    const store = scratch.closing(await openSqliteStore(file, { codec }));
    await expect(store.load(toId("a"))).rejects.toMatchObject({
      code: "STORE_CODEC",
      message: "the codec cannot decode a row: the key is wrong",
    });
  });

  it("leaves nothing behind when it is removed", async () => {
    sql(file, "DELETE FROM journal WHERE id = 3");
    const store = await openSqliteStore(file);
    await store.remove(toId("a"));
    await store.close();
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare("SELECT count(*) AS count FROM journal WHERE execution = 1").get()).toEqual({ count: 0 });
    database.close();
  });
});

describe("a file that cannot be written", () => {
  it("is read, and says STORE_READ_ONLY to whoever writes", async () => {
    const file = scratch.file();
    const owner = scratch.closing(await openSqliteStore(file));
    await owner.commit(batch(append("a", 0)));
    const reader = scratch.closing(await openSqliteStore(file, { readOnly: true }));
    expect(await refusal(reader.commit(batch(append("a", 2))))).toBe("STORE_READ_ONLY");
    expect(await refusal(reader.post(message("a", "hello")))).toBe("STORE_READ_ONLY");
    expect(await refusal(reader.remove(toId("a")))).toBe("STORE_READ_ONLY");
    await expectAt(reader, "a", 2);
    await owner.commit(batch(append("a", 2)));
    await expectAt(reader, "a", 4);
  });

  it("that is held by a long transaction says STORE_BUSY, and works again when it is free", async () => {
    const file = scratch.file();
    const store = scratch.closing(await openSqliteStore(file, { busyTimeoutMs: 10 }));
    await store.commit(batch(append("a", 0)));
    const other = scratch.closing(new DatabaseSync(file));
    other.exec("BEGIN IMMEDIATE");
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_BUSY");
    expect(await refusal(store.post(message("a", "hello")))).toBe("STORE_BUSY");
    await expectAt(store, "a", 2);
    other.exec("ROLLBACK");
    await store.commit(batch(append("a", 2)));
    await expectAt(store, "a", 4);
  });

  it("is refused when it is opened for reading and is not there", async () => {
    const file = scratch.file();
    expect(await refusal(openSqliteStore(file, { readOnly: true }))).toBe("STORE_IO");
    expect(existsSync(file)).toBe(false);
  });

  it("is refused when its place is no folder", async () => {
    const file = scratch.file();
    writeFileSync(file, "");
    expect(await refusal(openSqliteStore(`${file}/store`))).toMatch(/^STORE_(?:IO|EXISTS)$/u);
  });
});

describe("a file that is no store", () => {
  it("is refused with STORE_CORRUPT and stays as it is", async () => {
    const file = scratch.file();
    writeFileSync(
      file,
      "This is a letter to my aunt, and it is longer than the head of a database file is. ".repeat(20),
    );
    const before = readFileSync(file);
    expect(await refusal(openSqliteStore(file))).toBe("STORE_CORRUPT");
    expect(readFileSync(file)).toEqual(before);
  });

  it("is refused when it is a database of something else", async () => {
    const file = scratch.file();
    sql(file, "CREATE TABLE letters (body TEXT)");
    const before = readFileSync(file);
    expect(await refusal(openSqliteStore(file))).toBe("STORE_CORRUPT");
    expect(readFileSync(file)).toEqual(before);
  });

  it("is refused when it is empty, and stays so: a copy that failed must not become a store without executions", async () => {
    for (const readOnly of [false, true]) {
      const file = scratch.file();
      writeFileSync(file, "");
      expect(await refusal(openSqliteStore(file, { readOnly }))).toBe("STORE_CORRUPT");
      expect(readFileSync(file)).toHaveLength(0);
    }
  });

  it("is refused when it is a database without tables, whosever it says that it is", async () => {
    for (const id of [0, APPLICATION_ID]) {
      const file = scratch.file();
      sql(file, `CREATE TABLE a (b); DROP TABLE a; PRAGMA application_id = ${id}`);
      const before = readFileSync(file);
      expect(await refusal(openSqliteStore(file))).toBe("STORE_CORRUPT");
      expect(readFileSync(file)).toEqual(before);
    }
  });

  it("is refused wherever a copy of a store was cut", async () => {
    const file = scratch.file();
    const store = await openSqliteStore(file);
    for (const write of workload(3)) await write(store);
    await store.close();
    const whole = readFileSync(file);
    for (let bytes = 0; bytes < whole.length; bytes += 512) {
      const cut = scratch.file();
      writeFileSync(cut, whole.subarray(0, bytes));
      expect([bytes, await refusal(openSqliteStore(cut))]).toEqual([bytes, "STORE_CORRUPT"]);
      expect(readFileSync(cut)).toHaveLength(bytes);
    }
  });

  it("is refused when only its log of writes is there, which SQLite would write into a new one", async () => {
    const file = scratch.file();
    writeFileSync(`${file}-wal`, "what was last written");
    expect(await refusal(openSqliteStore(file))).toBe("STORE_CORRUPT");
    expect([existsSync(file), readFileSync(`${file}-wal`, "utf8")]).toEqual([false, "what was last written"]);
  });

  it("is refused when its tables are missing", async () => {
    const file = scratch.file();
    await (await openSqliteStore(file)).close();
    sql(file, "DROP TABLE journal");
    expect(await refusal(openSqliteStore(file))).toBe("STORE_SCHEMA");
  });
});
