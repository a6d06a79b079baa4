// A write-ahead log that another user put beside the user's own store.

import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Engine, type EngineOptions } from "../../src/index.ts";
import { inspectOrigin } from "../../src/store/sqlite/inspection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { refusal } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
/** A system tool that is not part of the repository. */
const MAKE_PIPE = "mkfifo";
let file: string;

async function started(store: string, options: EngineOptions = {}): Promise<readonly string[]> {
  await using engine = await Engine.open({ file: store, ...options });
  return (await engine.list()).executions.map(({ id }) => id);
}

/** A store with an execution, left as after a kill: its log remains. */
async function leftStore(id: string): Promise<string> {
  const store = `${scratch.file()}/segno.db`;
  mkdirSync(dirname(store));
  const opened = await openSqliteStore(store, { removesLog: () => false, writer: "main" });
  await opened.commit(batch(append(id, 0)));
  await opened.close();
  expect(existsSync(`${store}-wal`)).toBe(true);
  return store;
}

async function closedStore(id: string): Promise<string> {
  const store = await leftStore(id);
  await (await openSqliteStore(store, { writer: "main" })).close();
  expect(existsSync(`${store}-wal`)).toBe(false);
  return store;
}

beforeEach(async () => {
  file = await closedStore("mine");
  copyFileSync(`${await leftStore("planted")}-wal`, `${file}-wal`);
});

describe("a log that came from elsewhere", () => {
  it.each([
    ["an engine that asks first", { foreign: "refuse" }],
    ["an engine that goes on with its own executions only", { resume: "own" }],
    ["a process that posts", { mode: "post" }],
  ] as const)("LEASE-1 is refused by %s, and the store keeps what it has", async (_, options) => {
    const planted = readFileSync(`${file}-wal`);
    const before = readFileSync(file);
    expect(inspectOrigin(file)).toBe("foreign");
    expect(await refusal(Engine.open({ file, ...options }))).toBe("STORE_FOREIGN");
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readFileSync(`${file}-wal`).equals(planted)).toBe(true);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`, { force: true });
    expect(await started(file, { foreign: "refuse" })).toEqual(["mine"]);
  });

  it("LEASE-1 is the user's own once it was accepted", async () => {
    await started(file, { foreign: "accept" });
    expect(inspectOrigin(file)).toBe("own");
  });
});

it("LEASE-1 the log that a killed process of the user left is the user's own", async () => {
  const store = await leftStore("unfinished");
  expect(inspectOrigin(store)).toBe("own");
  expect(await started(store, { foreign: "refuse" })).toEqual(["unfinished"]);
});

it("LEASE-1 a copy of a store with its log is foreign, also where its record is copied", async () => {
  const store = await leftStore("unfinished");
  const copy = scratch.file();
  cpSync(dirname(store), copy, { recursive: true });
  expect(inspectOrigin(`${copy}/segno.db`)).toBe("foreign");
});

it("LEASE-1 a file that SQLite would roll into the store is refused", async () => {
  rmSync(`${file}-wal`);
  writeFileSync(`${file}-journal`, "");
  expect(await refusal(Engine.open({ file }))).toBe("STORE_FOREIGN");
});

it("JOURNAL-1 a backup is refused where the log of another store would become part of it", async () => {
  rmSync(`${file}-wal`);
  const target = scratch.file();
  writeFileSync(`${target}-wal`, "left");
  await using engine = await Engine.open({ file });
  expect(await refusal(engine.backup(target))).toBe("STORE_EXISTS");
  expect(existsSync(target)).toBe(false);
});

it.runIf(process.platform === "linux")(
  "CONTRACT-9 a pipe in the place of a store is refused, and nobody waits for it",
  async () => {
    const pipe = scratch.file();
    expect(spawnSync(MAKE_PIPE, [pipe]).status).toBe(0);
    for (const mode of ["readOnly", "post"] as const)
      expect(await refusal(Engine.open({ file: pipe, mode }))).toBe("STORE_CORRUPT");
  },
);

it.runIf(process.platform === "linux")(
  "CONTRACT-9 a pipe in the place of the record of the log is no record, and nobody waits for it",
  async () => {
    rmSync(`${file}-log`, { force: true });
    expect(spawnSync(MAKE_PIPE, [`${file}-log`]).status).toBe(0);
    expect(await refusal(Engine.open({ file, foreign: "refuse" }))).toBe("STORE_FOREIGN");
  },
);
