// A SQLite store on disk, and the mutual visibility of two handles on it.

import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { SELECT_ENDED } from "../../src/store/sqlite/housekeeping.ts";
import { COUNT_WAITING } from "../../src/store/sqlite/inbox-table.ts";
import { SELECT_OLD, SELECT_ROWS } from "../../src/store/sqlite/log-table.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { StoredDocument } from "../../src/store/document-store.ts";
import type { LogLine } from "../../src/store/step-logs.ts";
import { readBlocks, expectAt, found, loaded, refusal } from "./contract/claim.ts";
import { append, at, batch, blockless, toId } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { readState } from "./store-state.ts";
import { workload } from "./workload.ts";

const scratch = scratchFolder();

const logLine = (text: string): LogLine => ({ step: "s", attempt: 1, stream: "stdout", at: at(0), text });

describe("a store on disk", () => {
  it("is readable by its owner only, and so is its log", async () => {
    const file = `${scratch.file()}/deep/store.db`;
    const store = scratch.closing(await openSqliteStore(file));
    await store.commit(batch(append("a", 0)));
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
  });

  it("JOURNAL-3 has everything when it is opened again, and goes on", async () => {
    const file = scratch.file();
    const store = await openSqliteStore(file);
    for (const write of workload(3)) await write(store);
    const before = await readState(store);
    await store.close();
    const again = scratch.closing(await openSqliteStore(file));
    expect(await readState(again)).toBe(before);
    for (const write of workload(4).slice(30)) await write(again);
    await expectAt(again, "a", 32);
  });

  it("JOURNAL-7 DATA-11 keeps no trace of payloads that were removed", async () => {
    const file = scratch.file();
    const store = await openSqliteStore(file);
    await store.commit(batch(append("a", 0, { body: "the-secret-text" }), append("b", 0, { body: "another-text" })));
    for (const id of ["a", "b"])
      await store.appendLogs([{ execution: toId(id), lines: [logLine(`the-secret-text of ${id}`.repeat(500))] }]);
    await store.removePayloads(toId("a"), (body) => body.replace("secret", "…"), at(9));
    await store.remove(toId("b"));
    const onDisk = (): string =>
      ["", "-wal"].map((suffix) => (existsSync(file + suffix) ? readFileSync(file + suffix, "latin1") : "")).join("");
    expect(onDisk()).not.toMatch(/the-secret-text|another-text/u);
    await store.close();
    expect(onDisk()).not.toMatch(/the-secret-text|another-text/u);
  });

  it("JOURNAL-7 is whole in its backup, also while it is written to", async () => {
    const file = scratch.file();
    const copy = scratch.file();
    const store = scratch.closing(await openSqliteStore(file));
    for (const write of workload(2)) await write(store);
    const before = await readState(store);
    await store.backup(copy);
    await store.commit(batch(append("a", 16)));
    const restored = scratch.closing(await openSqliteStore(copy));
    expect(await readState(restored)).toBe(before);
    await restored.commit(batch(append("a", 16)));
    expect(await readState(restored)).toBe(await readState(store));
  });

  it("JOURNAL-7 has a backup that only its owner can read, and that overwrites nothing", async () => {
    const [copy, taken] = [scratch.file(), scratch.file()];
    const store = await openSqliteStore(scratch.file());
    await store.commit(batch(append("a", 0, { body: "in the backup" })));
    await store.backup(copy);
    expect(readFileSync(copy).includes("in the backup")).toBe(true);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    writeFileSync(taken, "precious");
    expect(await refusal(store.backup(taken))).toBe("STORE_EXISTS");
    expect(readFileSync(taken, "utf8")).toBe("precious");
    await store.close();
    expect(await refusal(store.backup(scratch.file()))).toBe("STORE_CLOSED");
  });
});

describe("two handles on a store", () => {
  it("LEASE-2 fences two handles off each other, whatever each believes", async () => {
    const file = scratch.file();
    const one = scratch.closing(await openSqliteStore(file));
    const two = scratch.closing(await openSqliteStore(file));
    await one.commit(batch(append("a", 0), append("b", 0)));
    await one.commit(batch(append("a", 2)));
    await two.commit(batch(append("a", 4)));
    expect(await refusal(one.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
    await one.commit(batch(append("b", 2)));
    await two.commit(batch(append("a", 6, { expectedEpoch: 1, epoch: 2 })));
    await two.quarantine(toId("b"), "by the other");
    expect(await refusal(one.commit(batch(append("a", 8))))).toBe("STORE_FENCED");
    expect(await refusal(one.commit(batch(append("b", 4))))).toBe("STORE_FENCED");
    await expectAt(one, "a", 8, 2);
    await two.remove(toId("a"));
    expect(await refusal(one.commit(batch(append("a", 8, { epoch: 2 }))))).toBe("STORE_FENCED");
    await one.commit(batch(append("a", 0)));
    expect(await readBlocks(two, "a")).toHaveLength(1);
  });

  it("LEASE-3 tells a handle that was taken over without an event, although nothing was appended", async () => {
    const file = scratch.file();
    const one = scratch.closing(await openSqliteStore(file));
    const two = scratch.closing(await openSqliteStore(file));
    await one.commit(batch(append("a", 0)));
    await one.commit(batch(append("a", 2)));
    await two.commit(batch(blockless("a", 4, { expectedEpoch: 1, epoch: 2 })));
    expect(await refusal(one.commit(batch(append("a", 4))))).toBe("STORE_FENCED");
    await expectAt(one, "a", 4, 2);
  });

  it("shows the same to another handle before and after it is settled", async () => {
    const file = scratch.file();
    const one = scratch.closing(await openSqliteStore(file, { durability: "relaxed" }));
    const two = scratch.closing(await openSqliteStore(file, { readOnly: true }));
    for (let index = 0; index < 1100; index++) {
      const last = append("a", 2 * index, { projection: { wakeAt: at(index), stepsEnded: index } });
      await one.commit(batch(last));
      if (index % 100 !== 99 && index % 512 > 2) continue;
      expect((await loaded(two, "a")).projection).toEqual(last.projection);
      expect((await two.find({ limit: 1 })).executions[0]?.projection).toEqual(last.projection);
      expect(await found(two, { dueBy: at(index - 1) })).toEqual([]);
      expect(await found(two, { dueBy: at(index) })).toEqual(["a"]);
    }
  });

  it("can be copied as a file when it is closed", async () => {
    const file = scratch.file();
    const copy = scratch.file();
    const store = await openSqliteStore(file);
    await store.commit(batch(append("a", 0)));
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    copyFileSync(file, copy);
    await expectAt(scratch.closing(await openSqliteStore(copy)), "a", 2);
  });
});

it("W3 what is due is found although another handle settled the rows in between", async () => {
  const file = scratch.file();
  const one = scratch.closing(await openSqliteStore(file));
  await one.commit(batch(append("a", 0, { projection: { wakeAt: at(500) } })));
  await one.commit(batch(append("b", 0, { projection: { wakeAt: at(500) } })));
  await one.commit(batch(append("a", 2, { projection: { wakeAt: null } })));
  await one.commit(batch(append("b", 2, { projection: { wakeAt: at(900) } })));
  scratch.closing(await openSqliteStore(file));
  await one.commit(batch(append("a", 4, { projection: { wakeAt: at(600) } })));
  await one.commit(batch(append("b", 4, { projection: { wakeAt: at(600) } })));
  expect(await found(one, { dueBy: at(600) })).toEqual(["a", "b"]);
});

it("JOURNAL-7 LEASE-5 a store on disk finds old ends, and what waits for an execution, by an index", async () => {
  const file = scratch.file();
  await (await openSqliteStore(file)).close();
  const database = new DatabaseSync(file, { readOnly: true });
  const plans = [SELECT_ENDED, COUNT_WAITING].map((sql) =>
    JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()),
  );
  database.close();
  expect(plans[0]).toMatch(/executions_by_end/u);
  expect(plans[1]).toMatch(/inbox_by_execution/u);
});

describe("logs on disk", () => {
  it("JOURNAL-7 are found, and found to be old, by an index", async () => {
    const file = scratch.file();
    await (await openSqliteStore(file)).close();
    const database = new DatabaseSync(file, { readOnly: true });
    const [rows, old] = [SELECT_ROWS, SELECT_OLD].map((sql) =>
      JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()),
    );
    database.close();
    expect(rows).toMatch(/step_logs_by_execution \(execution=\? AND rowid>\? AND rowid<\?\)/u);
    expect(old).toMatch(/executions_with_logs \(updated_at<\?\)/u);
    expect(`${rows}${old}`).not.toMatch(/SCAN (?:step_logs|executions)"/u);
  });

  it("take little more room than their text: 100,000 short lines", async () => {
    const file = scratch.file();
    const store = await openSqliteStore(file);
    await store.commit(batch(append("a", 0)));
    const before = statSync(file).size;
    const lines = Array.from({ length: 100_000 }, (_, index) => logLine(String(index % 10)));
    await store.appendLogs([{ execution: toId("a"), lines }]);
    expect(await store.readLogs({ execution: toId("a"), after: 99_990, limit: 100 })).toHaveLength(10);
    await store.close();
    expect(statSync(file).size - before).toBeLessThan(600_000);
  });

  it("are damaged one row at a time, and say STORE_CORRUPT", async () => {
    const file = scratch.file();
    const store = scratch.closing(await openSqliteStore(file));
    await store.commit(batch(append("a", 0)));
    for (const text of ["one", "two", "three"])
      await store.appendLogs([{ execution: toId("a"), lines: [logLine(text)] }]);
    const database = new DatabaseSync(file);
    database.exec("UPDATE step_logs SET body = '[[' WHERE id = 2");
    database.close();
    expect(await refusal(store.readLogs({ execution: toId("a"), limit: 9 }))).toBe("STORE_CORRUPT");
    expect(await store.readLogs({ execution: toId("a"), limit: 1 })).toMatchObject([{ text: "one" }]);
    expect(await store.readLogs({ execution: toId("a"), after: 2, limit: 9 })).toMatchObject([{ text: "three" }]);
    await expectAt(store, "a", 2);
  });
});

it("N1 a note of a process does not wait for the disk, and what is committed after it does", async () => {
  const file = scratch.file();
  await (await openSqliteStore(file)).close();
  const connection = openConnection(file);
  const store = scratch.closing(new SqliteStore(connection));
  const seen: unknown[] = [];
  const synchronous = (): unknown => connection.database.prepare("PRAGMA synchronous").get();
  connection.database.function("seen", () => (seen.push(synchronous()), 0));
  connection.database.exec("CREATE TEMP TRIGGER watch AFTER INSERT ON processes BEGIN SELECT seen(); END");
  await store.noteProcess({ marker: "m", pid: 1, startTime: "1" });
  expect([...seen, synchronous()]).toEqual([{ synchronous: 1 }, { synchronous: 2 }]);
  connection.database.exec(
    "CREATE TEMP TRIGGER refuse BEFORE DELETE ON processes BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  expect(await refusal(store.forgetProcess("m"))).toBe("STORE_IO");
  expect(synchronous()).toEqual({ synchronous: 2 });
});

it.each(["main", "thread"] as const)(
  "D6 a file keeps no document that was removed or replaced, on the %s",
  async (writer) => {
    const file = scratch.file();
    const store = await openSqliteStore(file, { writer });
    const secret = (key: string, length: number): StoredDocument => {
      return { kind: "hook", key, body: JSON.stringify("the-secret-text ".repeat(length)) };
    };
    for (const length of [1, 50, 5000]) {
      await store.documents.put(secret("a", length));
      await store.documents.put(secret("b", length));
      await store.documents.put({ kind: "hook", key: "a", body: "1" }, secret("a", length).body);
      await store.documents.remove("hook", "b");
    }
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(readFileSync(file, "latin1")).not.toContain("the-secret-text");
    const again = scratch.closing(await openSqliteStore(file));
    expect(await again.documents.list("hook")).toEqual([{ kind: "hook", key: "a", body: "1" }]);
  },
);
