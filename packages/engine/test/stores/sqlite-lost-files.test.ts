// A store whose files are copied by its own process, moved, deleted, linked or removed while it is open.

import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { Engine } from "../../src/api/engine.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { refusal } from "./contract/claim.ts";
import { append, batch, message } from "./contract/sample.ts";
import { EngineChild } from "./engine-child.ts";
import { areLocked } from "./locked-files.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const isLinux = process.platform === "linux";
let file: string;

beforeEach(() => {
  file = `${scratch.file()}/segno.db`;
  mkdirSync(dirname(file));
});

async function startedIn(store: string): Promise<readonly string[]> {
  await using engine = await Engine.open({ file: store, mode: "readOnly" });
  return (await engine.list()).executions.map(({ id }) => id);
}

describe.each(["main", "thread"] as const)("a copy that the owner's own process makes, writing on the %s", (writer) => {
  it("LEASE-1 JOURNAL-3 makes nobody else the owner, and loses nothing that was acknowledged", async () => {
    await using owner = await EngineChild.open(file, writer);
    await owner.do("start", "before");
    expect(await owner.do("copy", scratch.file())).toEqual({ value: null });
    {
      await using other = await EngineChild.open(file);
      expect(await other.do("isOwner")).toEqual({ value: false });
      expect(await other.do("start", "posted")).toEqual({ value: "posted" });
      expect(await other.do("close")).toEqual({ value: null });
    }
    expect(existsSync(`${file}-wal`)).toBe(true);
    for (const id of ["after-1", "after-2"]) expect(await owner.do("start", id)).toEqual({ value: id });
    expect(await owner.do("isOwner")).toEqual({ value: true });
    expect(await owner.do("faults")).toEqual({ value: [] });
    await owner.kill();
    expect(await startedIn(file)).toEqual(expect.arrayContaining(["before", "after-1", "after-2"]));
  });
});

it.runIf(isLinux)("LEASE-1 an owner that dropped its locks by a copy takes all of them again", async () => {
  await using owner = await EngineChild.open(file);
  await owner.do("start", "before");
  expect(await owner.do("copyAndCheckLocks", scratch.file())).toEqual({ value: false });
  await owner.until("isOwner", () => areLocked(file));
  expect(await owner.do("start", "after")).toEqual({ value: "after" });
});

it.runIf(isLinux)("LEASE-1 an owner takes its locks again also where its process has the file open twice", async () => {
  await using owner = await EngineChild.open(file, "thread");
  await owner.do("start", "before");
  await owner.do("second");
  await owner.do("copy", scratch.file());
  await owner.until("isOwner", () => areLocked(file));
  expect(await owner.do("start", "after")).toEqual({ value: "after" });
  expect(await owner.do("faults")).toEqual({ value: [] });
});

it.runIf(isLinux)("LEASE-1 an owner whose lock file is deleted stays the only owner", async () => {
  await using owner = await EngineChild.open(file);
  rmSync(`${file}-owner`);
  await using other = await EngineChild.open(file);
  expect(await other.do("isOwner")).toEqual({ value: false });
  await owner.until("isOwner", () => existsSync(`${file}-owner`) && areLocked(file));
  expect(await owner.do("start", "after")).toEqual({ value: "after" });
  await owner.kill();
  await other.until("isOwner", ({ value }) => value === true);
});

describe("STORE_MOVED", () => {
  it("JOURNAL-1 refuses a write when another program removed the log, and what was acknowledged is there", async () => {
    await using owner = await EngineChild.open(file);
    await owner.do("start", "before");
    expect(await owner.do("copyAndLook", scratch.file())).toEqual({ value: null });
    expect(existsSync(`${file}-wal`)).toBe(false);
    for (const id of ["after-1", "after-2"]) expect(await owner.do("start", id)).toEqual({ code: "STORE_MOVED" });
    await owner.kill();
    expect(await startedIn(file)).toEqual(["before"]);
  });

  it.each(["main", "thread"] as const)(
    "JOURNAL-1 K14 acknowledges no document in a log that was removed, on the %s",
    async (writer) => {
      const store = scratch.closing(await openSqliteStore(file, { writer, removesLog: () => true }));
      await store.documents.put({ kind: "kept", key: "a", body: "1" });
      rmSync(`${file}-wal`);
      expect(await refusal(store.documents.put({ kind: "kept", key: "b", body: "1" }))).toBe("STORE_MOVED");
      expect(await refusal(store.documents.remove("kept", "a"))).toBe("STORE_MOVED");
    },
  );

  it("JOURNAL-1 acknowledges no commit and no post into a log that was removed", async () => {
    const store = scratch.closing(await openSqliteStore(file, { removesLog: () => true }));
    await store.commit(batch(append("a", 0)));
    rmSync(`${file}-wal`);
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_MOVED");
    expect(await refusal(store.post(message("a", "x")))).toBe("STORE_MOVED");
    expect(await refusal(store.checkFiles())).toBe("STORE_MOVED");
  });

  it.each([
    ["moved", () => renameSync(file, `${file}-elsewhere`)],
    ["deleted", () => rmSync(file)],
    ["in a folder that is moved", () => renameSync(dirname(file), `${dirname(file)}-elsewhere`)],
    ["in a folder that is deleted", () => rmSync(dirname(file), { recursive: true })],
  ] as const)("LEASE-1 lets everything go when the database is %s, and says so", async (_, act) => {
    await using owner = await EngineChild.open(file);
    await owner.do("start", "before");
    act();
    await owner.until("isOwner", ({ value }) => value === false);
    expect(await owner.do("faults")).toEqual({ value: ["STORE_MOVED"] });
    expect(await owner.do("start", "after")).toEqual({ code: "STORE_MOVED" });
    expect(await owner.do("run", "after")).toEqual({ code: "STORE_MOVED" });
    expect(await owner.do("close")).toEqual({ value: null });
  });

  it("LEASE-1 is what a follower gets before it takes over another file than it opened", async () => {
    await using owner = await EngineChild.open(file);
    await using follower = await EngineChild.open(file);
    for (const suffix of ["", "-wal", "-shm", "-owner"]) renameSync(file + suffix, `${file}-old${suffix}`);
    await (await openSqliteStore(file)).close();
    await owner.kill();
    await follower.until("faults", ({ value }) => (value as string[]).includes("STORE_MOVED"));
    expect(await follower.do("isOwner")).toEqual({ value: false });
  });
});

describe("shared memory that is deleted under an owner", () => {
  it.runIf(isLinux)("LEASE-1 keeps others from opening the store until the owner has let go", async () => {
    await using owner = await EngineChild.open(file);
    await owner.do("start", "before");
    owner.signal("SIGSTOP");
    rmSync(`${file}-shm`);
    const other = EngineChild.open(file);
    await expect(Promise.race([other, sleep(500, "waiting")])).resolves.toBe("waiting");
    owner.signal("SIGCONT");
    await using opened = await other;
    expect(await opened.do("start", "posted")).toEqual({ value: "posted" });
    await owner.until("isOwner", ({ value }) => value === false);
    expect(await owner.do("start", "after")).toEqual({ code: "STORE_MOVED" });
    expect(await owner.do("close")).toEqual({ value: null });
    await opened.do("close");
    expect(await startedIn(file)).toEqual(expect.arrayContaining(["before", "posted"]));
  });

  it("JOURNAL-1 lets no commit and no post be acknowledged that only the old one knows", async () => {
    const store = scratch.closing(await openSqliteStore(file, { removesLog: () => true }));
    await store.commit(batch(append("a", 0)));
    rmSync(`${file}-shm`);
    expect(await refusal(store.post(message("a", "x")))).toBe("STORE_MOVED");
    expect(await refusal(store.commit(batch(append("a", 2))))).toBe("STORE_MOVED");
  });
});

describe("a store under a second name", () => {
  it("STORE_LINKED is refused, for writing and for reading", async () => {
    await (await openSqliteStore(file)).close();
    linkSync(file, `${file}-2`);
    for (const name of [file, `${file}-2`])
      for (const readOnly of [true, false])
        expect(await refusal(openSqliteStore(name, { readOnly }))).toBe("STORE_LINKED");
    rmSync(file);
    await (await openSqliteStore(`${file}-2`)).close();
  });

  it.runIf(isLinux)("LEASE-1 has one owner, whatever its name was when each looked", async () => {
    await (await openSqliteStore(file)).close();
    const one = new StoreOwnership(file);
    expect(await one.tryOwn()).toBe(true);
    renameSync(file, `${file}-moved`);
    const two = new StoreOwnership(`${file}-moved`);
    expect(await two.tryOwn()).toBe(false);
    one.release();
    expect(await two.tryOwn()).toBe(true);
    two.release();
  });
});

it("Q4 a guarded connection is closed without removing the log, as the last one", async () => {
  await (await openSqliteStore(file)).close();
  openConnection(file, { isGuarded: true }).close({ keepsLog: true });
  expect(existsSync(`${file}-wal`)).toBe(true);
  openConnection(file, { isGuarded: true }).close();
  expect(existsSync(`${file}-wal`)).toBe(false);
});

it("LEASE-5 a process that only posts leaves the log where it is, also when it ends without closing anything", () => {
  const program = `
    import { openSqliteStore } from ${JSON.stringify(new URL("../../src/store/sqlite/open-sqlite-store.ts", import.meta.url).href)};
    globalThis.kept = await openSqliteStore(process.argv[1], { removesLog: () => false });`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program, file]);
  expect([status, stderr.toString()]).toEqual([0, ""]);
  expect(existsSync(`${file}-wal`)).toBe(true);
});
