// Files that appear atomically.

import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { WholeFile } from "../../src/store/whole-file.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAt, refusal } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const KILLED = fileURLToPath(new URL("backup-killed.ts", import.meta.url));
/** No process has this pid: Linux assigns none above 4,194,304. */
const NOBODY = 99_999_999;

const namesBeside = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`));

function folder(): string {
  const path = scratch.file();
  mkdirSync(path);
  return path;
}

describe("a backup", () => {
  it("JOURNAL-7 that was killed leaves nothing under its name, and the next one cleans up after it", async () => {
    const file = join(folder(), "store.db");
    const store = await openSqliteStore(file);
    await store.commit(batch(append("a", 0)));
    await store.close();
    const copy = join(folder(), "copy.db");
    const { signal } = spawnSync(process.execPath, [KILLED, file, copy]);
    expect(signal).toBe("SIGKILL");
    expect(namesBeside(copy)).toEqual([expect.stringMatching(/^copy\.db\.\d+-1\.partial$/u)]);
    expect(readdirSync(dirname(copy))).not.toContain("copy.db");
    const again = scratch.closing(await openSqliteStore(file));
    await again.backup(copy);
    expect(readdirSync(dirname(copy))).toEqual(["copy.db"]);
    await expectAt(scratch.closing(await openSqliteStore(copy)), "a", 2);
    expect(await refusal(again.backup(copy))).toBe("STORE_EXISTS");
  });
});

describe("a new store", () => {
  it("JOURNAL-7 is made beside what a process left that was killed at making it", async () => {
    const file = join(folder(), "store.db");
    for (const suffix of ["", "-wal", "-shm"]) writeFileSync(`${file}.${NOBODY}-1.partial${suffix}`, "a part of it");
    const store = scratch.closing(await openSqliteStore(file));
    await store.commit(batch(append("a", 0)));
    expect(namesBeside(file)).toEqual([]);
  });

  it("JOURNAL-7 opens where the process that made it was killed, or is still, between its two names", async () => {
    const file = join(folder(), "store.db");
    await (await openSqliteStore(file)).close();
    linkSync(file, `${file}.${NOBODY}-1.partial`);
    linkSync(file, `${file}.${process.ppid}-1.partial`);
    const store = scratch.closing(await openSqliteStore(file));
    await store.commit(batch(append("a", 0)));
    expect(namesBeside(file)).toEqual([`store.db.${process.ppid}-1.partial`]);
  });
});

describe("a whole file", () => {
  it("JOURNAL-7 has its name when it is published, and not before", () => {
    const file = join(folder(), "a.txt");
    const whole = new WholeFile(file);
    writeFileSync(whole.partial, "all of it");
    expect(readdirSync(dirname(file))).toEqual([basename(whole.partial)]);
    whole.publish();
    expect(readdirSync(dirname(file))).toEqual(["a.txt"]);
    expect(readFileSync(file, "utf8")).toBe("all of it");
  });

  it("JOURNAL-7 leaves nothing when it is discarded", () => {
    const file = join(folder(), "a.txt");
    new WholeFile(file).discard();
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  it("JOURNAL-7 replaces nothing, not even a link that leads nowhere, and not what came meanwhile", () => {
    const file = join(folder(), "a.txt");
    const whole = new WholeFile(file);
    writeFileSync(file, "another");
    expect(() => whole.publish()).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect([readFileSync(file, "utf8"), readdirSync(dirname(file))]).toEqual(["another", ["a.txt"]]);
    symlinkSync("nowhere", join(dirname(file), "link"));
    expect(() => new WholeFile(join(dirname(file), "link"))).toThrow(expect.objectContaining({ code: "EEXIST" }));
  });

  it("JOURNAL-7 leaves alone what another process is writing, and what is somebody else's", () => {
    const file = join(folder(), "a.txt");
    const first = new WholeFile(file);
    const kept = [`a.txt.${process.ppid}-1.partial`, "a.txt.notes.partial", "b.txt.1-1.partial"];
    for (const name of kept) writeFileSync(join(dirname(file), name), "");
    writeFileSync(`${file}.${NOBODY}-1.partial`, "");
    new WholeFile(file).publish();
    expect(readdirSync(dirname(file)).toSorted()).toEqual(["a.txt", basename(first.partial), ...kept].toSorted());
    first.discard();
  });
});
