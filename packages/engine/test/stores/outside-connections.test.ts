// Lost locks while the process has a connection to the file that its stores do not know.

import { cpSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fileLocks } from "../../src/store/sqlite/posix-locks.ts";
import { openDatabase, type DatabaseSync } from "../../src/store/sqlite/sqlite-module.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { refusal } from "./contract/claim.ts";
import { append, batch, message } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
let file: string;
let store: SqliteStore;

beforeEach(async () => {
  file = `${scratch.file()}/segno.db`;
  mkdirSync(dirname(file));
  store = scratch.closing(await openSqliteStore(file, { removesLog: () => true }));
  await store.commit(batch(append("a", 0)));
});

function isLocked(): boolean {
  const held = new Set(fileLocks()?.flatMap(({ inode, pid }) => (pid === process.pid ? [inode] : [])));
  return ["", "-shm"].every((suffix) => held.has(statSync(file + suffix, { bigint: true }).ino));
}

function outside(): DatabaseSync {
  const database = openDatabase(file, { readOnly: true });
  database.prepare("SELECT count(*) FROM meta").get();
  return database;
}

describe.runIf(process.platform === "linux")("a process that lost its locks and has another connection", () => {
  it("LEASE-5 JOURNAL-1 acknowledges nothing until the connection is closed, and then takes its locks again", async () => {
    const other = outside();
    cpSync(dirname(file), scratch.file(), { recursive: true });
    expect(await refusal(store.post(message("a", "x")))).toBe("STORE_IO");
    expect(await refusal(store.checkFiles())).toBe("STORE_IO");
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_IO");
    other.close();
    await store.checkFiles();
    expect(isLocked()).toBe(true);
    expect(await store.post(message("a", "x"))).toBe(1);
  });

  it("LEASE-5 a store that is opened then knows that it has no locks", async () => {
    const other = outside();
    await store.close();
    cpSync(dirname(file), scratch.file(), { recursive: true });
    const late = scratch.closing(await openSqliteStore(file, { removesLog: () => true }));
    expect(await refusal(late.post(message("a", "x")))).toBe("STORE_IO");
    other.close();
    await late.checkFiles();
    expect(await late.post(message("a", "x"))).toBe(1);
  });

  it("LEASE-1 a state that is held still for a check ends, and the store takes its locks again", async () => {
    const frozen = await store.freeze();
    cpSync(dirname(file), scratch.file(), { recursive: true });
    await store.checkFiles();
    expect(isLocked()).toBe(true);
    expect(await refusal(frozen.find({ limit: 1 }))).toBe("STORE_IO");
    await frozen.close();
    await store.commit(batch(append("a", 2)));
  });
});
