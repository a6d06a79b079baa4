// Step by step, the effect of other processes on a store while a process has dropped its locks by a copy.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { completeExecutions } from "../../src/store/sqlite/completion-lookup.ts";
import { isLeftUnlocked } from "../../src/store/sqlite/lost-locks.ts";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt } from "./contract/claim.ts";
import { append, batch, message } from "./contract/sample.ts";
import { EngineChild } from "./engine-child.ts";
import { areLocked } from "./locked-files.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
let file: string;

beforeEach(async () => {
  file = `${scratch.file()}/segno.db`;
  mkdirSync(dirname(file));
  const store = await openSqliteStore(file);
  await store.commit(batch(append("a", 0)));
  await store.close();
});

const isLocked = (): boolean => areLocked(file, ["", "-shm"]);

async function posted(): Promise<readonly string[]> {
  const store = scratch.closing(await openSqliteStore(file, { readOnly: true }));
  return (await store.poll()).messages.map(({ body }) => body);
}

describe.runIf(process.platform === "linux")("a process that posts and has dropped its locks", () => {
  it("LEASE-5 JOURNAL-1 takes them again before it posts, so that no owner removes the log that it writes to", async () => {
    await using poster = await EngineChild.openStore(file, "post");
    await poster.do("copy", scratch.file());
    expect(isLocked()).toBe(false);
    expect(await poster.do("post", "one")).toEqual({ value: 1 });
    expect(isLocked()).toBe(true);
    {
      await using owner = await EngineChild.openStore(file, "own");
      expect(await owner.do("close")).toEqual({ value: null });
    }
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect(await poster.do("post", "two")).toEqual({ value: 2 });
    await poster.kill();
    expect(await posted()).toEqual(["one", "two"]);
  });

  it("LEASE-5 goes on with the next log when an owner has removed the one that it had", async () => {
    await using poster = await EngineChild.openStore(file, "post");
    await poster.do("copy", scratch.file());
    {
      await using owner = await EngineChild.openStore(file, "own");
      expect(await owner.do("close")).toEqual({ value: null });
    }
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(await poster.do("post", "one")).toEqual({ value: 1 });
    await poster.kill();
    expect(await posted()).toEqual(["one"]);
  });

  it("JOURNAL-1 STORE_IO a post is not acknowledged when the locks are dropped in the middle of it", async () => {
    await using poster = await EngineChild.openStore(file, "post");
    await poster.do("copyMeanwhile", scratch.file());
    expect(await poster.do("post", "one")).toEqual({ code: "STORE_IO" });
    expect(await poster.do("post", "two")).toEqual({ value: 2 });
    await poster.kill();
    expect(await posted()).toEqual(["one", "two"]);
  });

  it("LEASE-5 reads and posts without the shared memory that another process has emptied", async () => {
    await using poster = await EngineChild.openStore(file, "post");
    for (const task of ["read", "post"]) {
      await poster.do("copy", scratch.file());
      // SQLite does this if it finds no lock; SIGBUS kills a process that then reads its mapping of the file.
      truncateSync(`${file}-shm`, 0);
      expect(await poster.do(task)).toHaveProperty("value");
    }
  });
});

it.runIf(process.platform === "linux").each(["main", "thread"] as const)(
  "K14 a process that has dropped its locks takes them again before it writes and reads documents, on the %s",
  async (writer) => {
    await using poster = await EngineChild.openStore(file, "post", writer);
    for (const key of ["one", "two"]) {
      await poster.do("copy", scratch.file());
      expect(isLocked()).toBe(false);
      truncateSync(`${file}-shm`, 0);
      expect(await poster.do("put", key)).toEqual({ value: null });
      expect(isLocked()).toBe(true);
      await poster.do("copy", scratch.file());
      truncateSync(`${file}-shm`, 0);
      expect(await poster.do("get", key)).toEqual({ value: "1" });
    }
    await using owner = await EngineChild.openStore(file, "own");
    expect(await owner.do("close")).toEqual({ value: null });
    expect(await poster.do("put", "three")).toEqual({ value: null });
    await poster.kill();
    const { documents } = scratch.closing(await openSqliteStore(file, { readOnly: true }));
    expect((await documents.list("kept")).map(({ key }) => key)).toEqual(["one", "three", "two"]);
  },
);

describe.runIf(process.platform === "linux")("an owner that has dropped its locks", () => {
  it("LEASE-1 keeps its shared memory when others only read, and they read what it commits", async () => {
    await using owner = await EngineChild.openStore(file, "own");
    await owner.do("commit", "2");
    await owner.do("copy", scratch.file());
    const before = statSync(`${file}-shm`, { bigint: true }).mtimeNs;
    const reader = scratch.closing(await openSqliteStore(file, { readOnly: true, removesLog: () => false }));
    await expectAt(reader, "a", 4);
    expect(statSync(`${file}-shm`, { bigint: true }).mtimeNs).toBe(before);
    for (const after of [4, 6]) {
      expect(await owner.do("commit", String(after))).toEqual({ value: null });
      await expectAt(reader, "a", after + 2);
    }
    expect(await owner.do("verify")).toEqual({ value: null });
    expect(isLeftUnlocked(file)).toBe(false);
    await expectAt(reader, "a", 8);
    await owner.do("close");
    await expectAt(reader, "a", 8);
  });

  it("JOURNAL-1 takes them again before it commits, without the shared memory that another program has emptied", async () => {
    await using owner = await EngineChild.openStore(file, "own");
    for (const after of [2, 4]) {
      await owner.do("copy", scratch.file());
      expect(isLocked()).toBe(false);
      truncateSync(`${file}-shm`, 0);
      expect(await owner.do("commit", String(after))).toEqual({ value: null });
      expect(isLocked()).toBe(true);
    }
    await owner.kill();
    await expectAt(scratch.closing(await openSqliteStore(file, { readOnly: true })), "a", 6);
  });

  it("LEASE-1 is recognized also while another process has locks", async () => {
    await using owner = await EngineChild.openStore(file, "own");
    await using other = await EngineChild.openStore(file, "post");
    expect(isLeftUnlocked(file)).toBe(false);
    await owner.do("copy", scratch.file());
    expect(isLocked()).toBe(true);
    expect(isLeftUnlocked(file)).toBe(true);
    await owner.do("verify");
    expect(isLeftUnlocked(file)).toBe(false);
    await other.do("close");
  });
});

describe("a store that another process owns", () => {
  it("LEASE-5 can be read, and then also be posted to by the same process, which goes on reading", async () => {
    await using owner = await EngineChild.openStore(file, "own");
    const reader = scratch.closing(await openSqliteStore(file, { readOnly: true, removesLog: () => false }));
    await expectAt(reader, "a", 2);
    const poster = scratch.closing(await openSqliteStore(file, { writer: "main", removesLog: () => false }));
    expect(await poster.post(message("a", "one"))).toBe(1);
    await owner.do("commit", "2");
    for (const store of [reader, poster]) await expectAt(store, "a", 4);
    expect(completeExecutions(file, 9)).toHaveLength(1);
  });
});

/**
 * Holds the lock of the owner file until the process that started it has closed the file, as it does to take the lock
 * again.
 */
const PROBE = `
  const { readdirSync, readlinkSync } = require("node:fs");
  const lock = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  lock.exec("BEGIN EXCLUSIVE");
  const links = (fd) => { try { return readlinkSync(fd) } catch { return "" } };
  const fds = "/proc/" + process.ppid + "/fd/";
  const isOpen = () => readdirSync(fds).some((fd) => links(fds + fd) === process.argv[1]);
  console.log("locked");
  while (isOpen());
  lock.close();`;

it.runIf(process.platform === "linux")(
  "LEASE-1 an owner stays it when another process has the lock for a moment",
  async () => {
    const ownership = new StoreOwnership(file);
    let isLost = false;
    expect(await ownership.tryOwn(() => (isLost = true))).toBe(true);
    copyFileSync(`${file}-owner`, scratch.file());
    const probe = spawn(process.execPath, ["-e", PROBE, `${file}-owner`], { stdio: ["ignore", "pipe", "inherit"] });
    const gone = once(probe, "exit");
    await once(probe.stdout, "data");
    ownership.verify();
    expect([ownership.isOwner, isLost]).toEqual([true, false]);
    ownership.release();
    expect(await gone).toEqual([0, null]);
  },
);
