// A log that is replaced while processes use it, as programs do that write a new file and rename it.

import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { confirmOneLog, LogChanged, requireOneLog, withSameLog } from "../../src/store/sqlite/log-use.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openDatabase } from "../../src/store/sqlite/sqlite-module.ts";
import { StoreFiles } from "../../src/store/sqlite/store-files.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, batch, message } from "./contract/sample.ts";
import { EngineChild } from "./engine-child.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const isLinux = process.platform === "linux";
let file: string;

beforeEach(() => {
  file = `${scratch.file()}/segno.db`;
  mkdirSync(dirname(file));
});

const REPLACEMENTS: readonly (readonly [string, () => void])[] = [
  ["an older copy of itself", () => renameSync(`${file}-older`, `${file}-wal`)],
  [
    "an exact copy of itself",
    () => {
      copyFileSync(`${file}-wal`, `${file}-copy`);
      renameSync(`${file}-copy`, `${file}-wal`);
    },
  ],
  [
    "an empty file",
    () => {
      writeFileSync(`${file}-empty`, "");
      renameSync(`${file}-empty`, `${file}-wal`);
    },
  ],
  ["nothing", () => rmSync(`${file}-wal`)],
];

const keepOlder = (): void => copyFileSync(`${file}-wal`, `${file}-older`);
const open = (): Promise<SqliteStore> => openSqliteStore(file, { removesLog: () => true, writer: "main" });

/** Everything that the file has fits together. */
async function expectWhole(): Promise<void> {
  const store = scratch.closing(await open());
  expect(await store.integrity()).toEqual([]);
}

/** Everything that the file has fits together, and it can be written. */
async function expectUsable(): Promise<void> {
  const store = await open();
  await store.commit(batch(append("new", 0)));
  await store.close();
  await expectWhole();
}

describe.runIf(isLinux).each(REPLACEMENTS)("a log that is replaced by %s", (_, replace) => {
  it("LEASE-1 JOURNAL-3 keeps others from opening the store until its owner has let go", async () => {
    await using owner = await EngineChild.open(file);
    await owner.do("start", "before");
    keepOlder();
    await owner.do("start", "later");
    owner.signal("SIGSTOP");
    replace();
    expect(await refusal(openSqliteStore(file, { readOnly: true }))).toBe("STORE_BUSY");
    owner.signal("SIGCONT");
    await owner.until("isOwner", ({ value }) => value === false);
    await expectUsable();
    expect(await owner.do("start", "late")).toEqual({ code: "STORE_MOVED" });
    expect(await owner.do("close")).toEqual({ value: null });
    await expectWhole();
  });

  it("LEASE-5 JOURNAL-3 keeps others from opening the store until a process that only posts has let go", async () => {
    await using poster = await EngineChild.openStore(file, "post");
    await poster.do("commit", "0");
    keepOlder();
    await poster.do("post", "later");
    replace();
    expect(await refusal(openSqliteStore(file, { readOnly: true }))).toBe("STORE_BUSY");
    expect(await poster.do("verify")).toEqual({ code: "STORE_MOVED" });
    await expectUsable();
    expect(await poster.do("close")).toEqual({ value: null });
    await expectWhole();
  });

  it("JOURNAL-3 is not opened by the process itself as long as it has the one before open", async () => {
    const store = scratch.closing(await open());
    await store.commit(batch(append("a", 0)));
    keepOlder();
    await store.commit(batch(append("a", 2)));
    replace();
    expect(await refusal(open())).toBe("STORE_BUSY");
    expect(await refusal(store.reopen())).toBe("STORE_BUSY");
    expect(await refusal(store.freeze())).toBe("STORE_BUSY");
    expect(await refusal(store.post(message("a", "x")))).toBe("STORE_MOVED");
    await expectWhole();
  });
});

it.runIf(isLinux)(
  "LEASE-5 JOURNAL-3 a process that opens the store to write waits for those with the log before",
  async () => {
    await using poster = await EngineChild.openStore(file, "post");
    await poster.do("commit", "0");
    rmSync(`${file}-wal`);
    const other = EngineChild.open(file);
    await expect(Promise.race([other, sleep(500, "waiting")])).resolves.toBe("waiting");
    expect(await poster.do("verify")).toEqual({ code: "STORE_MOVED" });
    await using opened = await other;
    expect(await opened.do("start", "after")).toEqual({ value: "after" });
  },
);

it.runIf(isLinux)("STORE_MOVED a log that is replaced while its store is being opened is noticed", async () => {
  await (await open()).close();
  scratch.closing(openConnection(file, { isGuarded: true }));
  new StoreFiles(file).checkOpened().close();
  copyFileSync(`${file}-wal`, `${file}-copy`);
  renameSync(`${file}-copy`, `${file}-wal`);
  expect(() => new StoreFiles(file).checkOpened()).toThrow("is not the file that was opened");
});

describe("a store whose last other user closes it while it is being opened", () => {
  it.runIf(isLinux)("U2 has another log, which is a reason to open it again", async () => {
    const owner = await EngineChild.openStore(file, "own");
    await owner.do("commit", "0");
    const before = requireOneLog(file, "write");
    // Keeps the inode of the log in use, so that the next log has another one.
    const kept = openSync(`${file}-wal`, "r");
    await owner.do("close");
    await owner[Symbol.asyncDispose]();
    scratch.closing(openConnection(file));
    let opened = 0;
    const openAgain = (): string => {
      if (opened++ === 0) confirmOneLog(file, before);
      return "opened";
    };
    expect(withSameLog(openAgain)).toBe("opened");
    expect(opened).toBe(2);
    closeSync(kept);
  });

  it("U2 is not opened again for another reason, nor for ever", () => {
    let opened = 0;
    const fail = (error: Error) => (): never => (opened++, raise(error));
    expect(() => withSameLog(fail(new Error("other")))).toThrow("other");
    expect(opened).toBe(1);
    expect(() => withSameLog(fail(new LogChanged("changed")))).toThrow("changed");
  });
});

function raise(error: Error): never {
  throw error;
}

describe("an open that fails", () => {
  it("Q4 leaves the log as it is, also as the last one", async () => {
    const store = await openSqliteStore(file, { removesLog: () => false, writer: "main" });
    await store.commit(batch(append("a", 0)));
    await store.close();
    const log = readFileSync(`${file}-wal`);
    const codec = { encode: (body: string) => `+${body}`, decode: (body: string) => body.slice(1) };
    expect(await refusal(openSqliteStore(file, { removesLog: () => true, codec }))).toBe("STORE_CODEC");
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
    await expectAt(scratch.closing(await open()), "a", 2);
  });

  it("Q4 leaves the log of another database as it is", async () => {
    const database = openDatabase(file);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, `${file}-2${suffix}`);
    database.close();
    const log = readFileSync(`${file}-2-wal`);
    expect(() => openConnection(`${file}-2`, { isGuarded: true })).toThrow("is another database");
    expect(existsSync(`${file}-2-wal`) && readFileSync(`${file}-2-wal`).equals(log)).toBe(true);
  });
});
