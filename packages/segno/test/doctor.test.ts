// `segno doctor` on real folders and journals, sound and damaged. It looks, and leaves everything as it is.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { checkGit, askGit } from "../src/doctor/platform.ts";
import { runSegno, type SegnoRunOptions } from "./run-segno.ts";
import { CommandFixture } from "./command-fixture.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly verdict: string; readonly text: string }[];
}

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  await shop.run(["run", "quick.yaml"]);
});
afterAll(() => shop[Symbol.asyncDispose]());

async function examined(words: readonly string[], options: SegnoRunOptions = {}) {
  const { exitCode, stdout, stderr } = await shop.run(["doctor", "--json", ...words], options);
  const { ok, checks } = JSON.parse(stdout) as Report;
  const found = Object.fromEntries(checks.map(({ check, verdict, text }) => [check, `${verdict}: ${text}`]));
  return { exitCode, stderr, ok, found };
}

/** A copy of the journal that can be spoiled. */
function copied(name: string): string {
  const file = shop.path(name);
  copyFileSync(shop.path(".segno/segno.db"), file);
  chmodSync(file, 0o600);
  return file;
}

describe("doctor", () => {
  it("finds nothing wrong where nothing is, and says what it looked at", async () => {
    const run = await shop.run(["doctor"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    for (const check of [
      "node",
      "sqlite",
      "threads",
      "shell",
      "git",
      "clock",
      "journal",
      "owner",
      "schema",
      "pages",
      "disk",
    ])
      expect(run.stdout).toMatch(new RegExp(`^(?:ok|warning) +${check} `, "mu"));
    expect(run.stdout).toMatch(/\n\d+ checks: .+\n$/u);
  });

  it("makes no journal by looking for one, nor anything else", async () => {
    const folder = await mkdtemp(join(tmpdir(), "segno-doctor-"));
    try {
      const run = await runSegno(["doctor"], { folder });
      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run.stdout).toContain("there is no journal at");
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("leaves a journal as it is", async () => {
    const state = (): unknown => [
      readdirSync(shop.path(".segno")),
      readFileSync(shop.path(".segno/segno.db")).toString("base64"),
    ];
    const before = state();
    await shop.run(["doctor"]);
    expect(state()).toEqual(before);
  });

  it("LEASE-1 says who works on the journal", async () => {
    expect((await examined([])).found["owner"]).toBe("ok: no process owns the journal");
    const working = shop.start(["work"]);
    await working.reports(/waiting/u);
    expect((await examined([])).found["owner"]).toMatch(/^ok: (?:a process|process \d+) owns the journal/u);
    working.send("SIGINT");
    await working.ended;
  });
});

describe("doctor finds", () => {
  it("JOURNAL-4 a damaged page", async () => {
    const file = copied("damaged.db");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 2048, bytes.length);
    writeFileSync(file, bytes);
    const { exitCode, ok, found } = await examined(["--db", "damaged.db"]);
    expect([exitCode, ok]).toEqual([1, false]);
    expect(found["pages"]).toMatch(/^problem: /u);
  });

  it("STORE_CORRUPT what is no journal, and not a file at all", async () => {
    writeFileSync(shop.path("text.db"), "this is no database\n".repeat(200));
    const text = await examined(["--db", "text.db"]);
    expect([text.exitCode, text.found["schema"]]).toEqual([1, expect.stringMatching(/^problem: STORE_CORRUPT /u)]);
    await mkdir(shop.path("folder.db"));
    const { exitCode, found } = await examined(["--db", "folder.db"]);
    expect([exitCode, found["journal"]]).toEqual([1, "problem: folder.db is not a file"]);
  });

  it("STORE_VERSION a journal of a newer Segno", async () => {
    const database = new DatabaseSync(copied("newer.db"));
    database.exec("INSERT INTO meta (key, value) VALUES ('migration-99', 'x')");
    database.close();
    const { exitCode, found } = await examined(["--db", "newer.db"]);
    expect([exitCode, found["schema"]]).toEqual([1, expect.stringMatching(/^problem: STORE_VERSION .*99/u)]);
  });

  it("a journal that others may read, which is only a warning", async () => {
    chmodSync(copied("open.db"), 0o644);
    const { exitCode, found } = await examined(["--db", "open.db"]);
    expect([exitCode, found["access"]]).toEqual([0, expect.stringMatching(/^warning: other users .*\(644\)$/u)]);
  });
});

describe("doctor finds around it", () => {
  it("a Node.js without SQLite, and goes on with what can be told without", async () => {
    const { exitCode, found } = await examined([], { environment: { NODE_OPTIONS: "--no-experimental-sqlite" } });
    expect([exitCode, found["sqlite"]]).toEqual([1, expect.stringMatching(/^problem: node:sqlite cannot be used/u)]);
    expect(found["disk"]).toContain("free on the disk of the journal");
  });

  it("no git, and an unknown time zone", async () => {
    const { exitCode, found } = await examined([], { environment: { PATH: shop.folder, TZ: "Middle/Earth" } });
    expect([exitCode, found["git"]]).toEqual([0, "warning: git was not found"]);
    expect(found["time-zone"]).toMatch(/^warning: TZ is not /u);
    expect(found["ignored"]).toBeUndefined();
  });

  it.skipIf(checkGit(askGit()).text === "git was not found")("a journal that git would commit", async () => {
    spawnSync("git", ["init", "--quiet"], { cwd: shop.folder });
    expect((await examined([])).found["ignored"]).toBe("warning: git would commit the journal");
    writeFileSync(shop.path(".gitignore"), ".segno/\n");
    expect((await examined([])).found["ignored"]).toBe("ok: git ignores the journal");
  });
});
