// A process detects whether it holds its locks or has dropped them, with any number of connections.

import { closeSync, openSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fileIdentity } from "../../src/store/sqlite/file-identity.ts";
import { HeldLocks } from "../../src/store/sqlite/held-locks.ts";
import { openDatabase, type DatabaseSync } from "../../src/store/sqlite/sqlite-module.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

function locked(file: string): DatabaseSync {
  const database = openDatabase(file);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a); SELECT * FROM t");
  return database;
}

function heldOn(file: string): HeldLocks {
  return HeldLocks.find([fileIdentity(file)!, fileIdentity(`${file}-shm`)!])!;
}

describe.runIf(process.platform === "linux")("HeldLocks", () => {
  it("LEASE-1 finds the locks of a connection, and nothing where there is none", () => {
    const file = scratch.file();
    const database = locked(file);
    const held = heldOn(file);
    expect(held.areHeld()).toBe(true);
    const identities = [fileIdentity(file)!, fileIdentity(`${file}-shm`)!];
    database.close();
    expect(held.areHeld()).toBe(false);
    expect(HeldLocks.find(identities)).toBeUndefined();
    held.close();
  });

  it("LEASE-1 notices that reading the file as a whole dropped its lock", () => {
    const file = scratch.file();
    const database = locked(file);
    const held = heldOn(file);
    readFileSync(file);
    expect(held.areHeld()).toBe(false);
    held.close();
    database.close();
  });

  it("LEASE-1 holds while any connection of the process has the lock, whichever took it", () => {
    const file = scratch.file();
    const first = locked(file);
    const held = heldOn(file);
    const second = locked(file);
    first.close();
    expect(held.areHeld()).toBe(true);
    // The last connection that closes deletes the shared memory, and the next one may get another inode for it.
    const third = locked(file);
    second.close();
    expect(held.areHeld()).toBe(true);
    third.close();
    expect(held.areHeld()).toBe(false);
    held.close();
  });

  it("LEASE-1 does not take the lock of another file for its own when a descriptor is used again", () => {
    const [file, other] = [scratch.file(), scratch.file()];
    const database = locked(file);
    const held = heldOn(file);
    database.close();
    const others = Array.from({ length: 4 }, () => locked(other));
    expect(held.areHeld()).toBe(false);
    for (const each of others) each.close();
    held.close();
  });

  it("LEASE-1 leaves no descriptor open when it is closed", () => {
    const file = scratch.file();
    const database = locked(file);
    const lowest = (): number => {
      const descriptor = openSync("/dev/null", "r");
      closeSync(descriptor);
      return descriptor;
    };
    const before = lowest();
    const held = heldOn(file);
    expect(lowest()).toBeGreaterThan(before);
    held.close();
    expect(lowest()).toBe(before);
    database.close();
  });
});
