import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { userKey } from "./user-key.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "segno-key-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a user has one key, which nobody else can read", () => {
  const key = userKey({ XDG_STATE_HOME: folder });
  expect(key).toHaveLength(32);
  expect(userKey({ XDG_STATE_HOME: folder })).toEqual(key);
  expect(readdirSync(join(folder, "segno"))).toEqual(["store-key"]);
  expect(statSync(join(folder, "segno", "store-key")).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "segno")).mode & 0o777).toBe(0o700);
});

it("another state folder has another key", () => {
  const keys = ["one", "two"].map((name) => userKey({ XDG_STATE_HOME: join(folder, name) }));
  expect(keys[0]).not.toEqual(keys[1]);
});

it("there is no key where none can be kept, or where it was cut", () => {
  writeFileSync(join(folder, "file"), "");
  expect(userKey({ XDG_STATE_HOME: join(folder, "file") })).toBeUndefined();
  userKey({ XDG_STATE_HOME: folder });
  writeFileSync(join(folder, "segno", "store-key"), "short");
  expect(userKey({ XDG_STATE_HOME: folder })).toBeUndefined();
});
