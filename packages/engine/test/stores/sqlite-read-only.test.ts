// A store that cannot be written: on a read-only file system, or in a folder without write permission.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { Engine } from "../../src/api/engine.ts";
import { inspectSchema } from "../../src/store/sqlite/inspection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const isRoot = process.getuid?.() === 0;
const undo: (() => void)[] = [];

afterEach(() => {
  for (const call of undo.splice(0)) call();
});

/** `$1` in the script is the path. */
function shell(script: string, path: string): boolean {
  return spawnSync("sh", ["-c", script, "sh", path], { stdio: "ignore" }).status === 0;
}

/** Permissions do not bind root, so root mounts a file system instead. Undefined if neither is possible. */
function folderToFreeze(): { readonly path: string; freeze(): boolean } | undefined {
  const path = scratch.file();
  mkdirSync(path);
  if (!isRoot) {
    undo.push(() => chmodSync(path, 0o755));
    return { path, freeze: () => (chmodSync(path, 0o555), true) };
  }
  if (!shell('mount -t tmpfs tmpfs "$1"', path)) return undefined;
  undo.push(() => shell('umount -l "$1"', path));
  return { path, freeze: () => shell('mount -o remount,ro "$1"', path) };
}

const canFreeze = !isRoot || shell('unshare -m mount -t tmpfs tmpfs "$1"', tmpdir());

async function madeStore(): Promise<string> {
  const file = scratch.file();
  const store = await openSqliteStore(file);
  await store.commit(batch(append("a", 0)));
  await store.close();
  return file;
}

it.runIf(canFreeze)("JOURNAL-3 a store that was closed is read where nothing can be written", async () => {
  const folder = folderToFreeze()!;
  const file = `${folder.path}/segno.db`;
  copyFileSync(await madeStore(), file);
  expect(folder.freeze()).toBe(true);
  await expectAt(scratch.closing(await openSqliteStore(file, { readOnly: true })), "a", 2);
  expect(inspectSchema(file)).toBeGreaterThan(0);
  await using engine = await Engine.open({ file, mode: "readOnly" });
  expect((await engine.list()).executions).toHaveLength(1);
  expect(await refusal(openSqliteStore(file))).toBe("STORE_READ_ONLY");
});

it.runIf(canFreeze)("STORE_READ_ONLY says what to do with a store whose log was left behind", async () => {
  const folder = folderToFreeze()!;
  const [file, made] = [`${folder.path}/segno.db`, scratch.file()];
  const store = scratch.closing(await openSqliteStore(made));
  await store.commit(batch(append("a", 0)));
  for (const suffix of ["", "-wal"]) copyFileSync(made + suffix, file + suffix);
  expect(folder.freeze()).toBe(true);
  await expect(openSqliteStore(file, { readOnly: true })).rejects.toMatchObject({
    code: "STORE_READ_ONLY",
    message: expect.stringContaining("copy both files to a writable folder, and open the copy") as string,
  });
});
