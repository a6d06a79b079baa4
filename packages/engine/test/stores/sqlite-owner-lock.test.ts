import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, it } from "vitest";
import { isHeldElsewhere } from "../../src/store/sqlite/lost-locks.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { OwnerLock } from "../../src/store/sqlite/owner-lock.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
/** A system tool that is not part of the repository. */
const MAKE_PIPE = "mkfifo";

it("LEASE-1 a lock needs no room on the disk: it writes to no file and makes no second one", () => {
  const file = scratch.file();
  const lock = scratch.closing(OwnerLock.tryAcquire(file)!);
  expect(lock.isHeld()).toBe(true);
  expect(OwnerLock.tryAcquire(file)).toBeUndefined();
  expect(statSync(file).size).toBe(0);
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

it.each([
  ["a link to a database", putLink],
  ["a folder", (file: string) => mkdirSync(file)],
  ["a file with content", (file: string) => writeFileSync(file, "text")],
  ["a pipe", (file: string) => spawnSync(MAKE_PIPE, [file])],
] as const)("SECURITY %s in place of the file is refused, and neither locked nor changed", async (_, put) => {
  const file = scratch.file();
  await put(file);
  for (const act of [() => OwnerLock.tryAcquire(file), () => isHeldElsewhere(file)])
    expect(act).toThrow(expect.objectContaining({ code: "STORE_FOREIGN" }));
});

async function putLink(file: string): Promise<void> {
  const store = scratch.file();
  await (await openSqliteStore(store)).close();
  symlinkSync(store, file);
}
