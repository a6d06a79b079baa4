import { readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, it } from "vitest";
import { OwnerLock } from "../../src/stores/sqlite/owner-lock.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

it("LEASE-1 a lock needs no room on the disk: it writes to no file and makes no second one", () => {
  const file = scratch.file();
  const lock = scratch.closing(OwnerLock.take(file)!);
  expect(lock.isHeld()).toBe(true);
  expect(OwnerLock.take(file)).toBeUndefined();
  expect(statSync(file).size).toBe(0);
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});
