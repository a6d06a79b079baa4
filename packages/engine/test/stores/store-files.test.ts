// An unlinked log is detected, whatever the timestamps of its folder.

import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { StoreFiles } from "../../src/store/sqlite/store-files.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
let folder: string;
let file: string;
let log: string;
let files: StoreFiles;

/** A folder's timestamp is cached only when it is old enough, so that the next change leaves a different one. */
function waitUntilFolderIsOld(): void {
  while (Date.now() - statSync(folder).ctimeMs < 100) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  files.checkLog();
}

beforeEach(() => {
  folder = scratch.file();
  mkdirSync(folder);
  file = `${folder}/segno.db`;
  log = `${file}-wal`;
  writeFileSync(file, "");
  writeFileSync(log, "");
  writeFileSync(`${file}-shm`, "");
  files = new StoreFiles(file);
  return () => files.close();
});

describe("JOURNAL-1 a log that", () => {
  it("has its name is accepted, also while the folder changes", () => {
    files.checkLog();
    writeFileSync(`${folder}/other`, "");
    expect(() => files.checkLog()).not.toThrow();
    waitUntilFolderIsOld();
    expect(() => files.checkLog()).not.toThrow();
  });

  it("is removed in the moment after it was looked at is refused", () => {
    files.checkLog();
    rmSync(log);
    expect(() => files.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });

  it("is removed when the folder was not changed for long is refused", () => {
    waitUntilFolderIsOld();
    rmSync(log);
    expect(() => files.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });

  it("is replaced by another of the same name is refused, also where the folder's time is set back", () => {
    waitUntilFolderIsOld();
    const { atime, mtime } = statSync(folder);
    writeFileSync(`${folder}/new`, "");
    renameSync(`${folder}/new`, log);
    utimesSync(folder, atime, mtime);
    expect(existsSync(log)).toBe(true);
    expect(() => files.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });

  it("is moved to another name is refused, also with a second name that stays", () => {
    waitUntilFolderIsOld();
    linkSync(log, `${folder}/second`);
    rmSync(log);
    expect(() => files.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });
});

describe("JOURNAL-1 shared memory that", () => {
  it("is removed is refused at the next look, soon after the last one and long after it", () => {
    waitUntilFolderIsOld();
    rmSync(`${file}-shm`);
    for (const look of [() => files.checkLog(), () => files.check()])
      expect(look).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });

  it("is replaced by another of the same name is refused", () => {
    writeFileSync(`${folder}/new`, "");
    renameSync(`${folder}/new`, `${file}-shm`);
    expect(() => files.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
  });

  it("was removed before the first look is refused to whoever writes, and nothing to whoever reads", () => {
    rmSync(`${file}-shm`);
    const [writing, reading] = (["write", "read"] as const).map((use) => scratch.closing(new StoreFiles(file, use)));
    expect(() => writing!.checkLog()).toThrow(expect.objectContaining({ code: "STORE_MOVED" }));
    expect(() => reading!.check()).not.toThrow();
  });
});
