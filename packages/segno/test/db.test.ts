// `segno db`: looking after the journal.

import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Workshop, type Listing } from "./workshop.ts";

let shop: Workshop;

beforeAll(async () => {
  shop = await Workshop.open();
  await shop.run(["run", "quick.yaml", "--id", "one"]);
  await shop.run(["run", "failing.yaml", "--id", "two"]);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("db check", () => {
  it("JOURNAL-4 says that all is well, and how much it has read", async () => {
    const run = await shop.run(["db", "check"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^2 executions with \d+ events checked: all is well\n$/u);
  });

  it("JOURNAL-4 names what was changed behind Segno's back, and ends with 1", async () => {
    await shop.run(["db", "backup", "damaged.db"]);
    const database = new DatabaseSync(shop.path("damaged.db"));
    const [{ name }] = database
      .prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%hash%body%' OR sql LIKE '%body%hash%'")
      .all() as [{ name: string }];
    database.exec(`UPDATE ${name} SET body = replace(body, 'quick', 'quack')`);
    database.close();
    const run = await shop.run(["db", "check", "--db", "damaged.db"]);
    expect(run).toMatchObject({ exitCode: 1, stderr: "" });
    expect(run.stdout).toMatch(/^damaged one quick: .+\n2 executions with \d+ events checked: 1 damaged\n$/u);
    const { ok, damaged } = JSON.parse((await shop.run(["db", "check", "--db", "damaged.db", "--json"])).stdout) as {
      ok: boolean;
      damaged: object[];
    };
    expect([ok, damaged]).toEqual([false, [expect.objectContaining({ id: "one", isSetAside: false })]]);
  });
});

describe("db backup and vacuum", () => {
  it("JOURNAL-7 writes a copy that can be worked with, and overwrites nothing", async () => {
    expect(await shop.run(["db", "backup", "copy.db"])).toMatchObject({
      exitCode: 0,
      stdout: "copy.db is a copy of .segno/segno.db\n",
    });
    const { executions } = await shop.json<Listing>("list", "--db", "copy.db");
    expect(executions.map(({ id }) => id)).toEqual(["two", "one"]);
    const again = await shop.run(["db", "backup", "copy.db"]);
    expect(again).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringContaining("STORE_EXISTS") });
  });

  it("ENGINE_NOT_OWNER vacuum leaves a journal alone that somebody works with", async () => {
    expect(await shop.run(["db", "vacuum"])).toMatchObject({ exitCode: 0, stderr: "" });
    const working = shop.start(["work"]);
    await working.reports(/waiting/u);
    const run = await shop.run(["db", "vacuum"]);
    expect(run).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringContaining("ENGINE_NOT_OWNER") });
    working.send("SIGINT");
    await working.ended;
  });
});

describe("db export and import", () => {
  it("JOURNAL-7 move an execution from one journal to another, by file or by pipe", async () => {
    const piped = await shop.run(["db", "export", "one"]);
    expect(piped).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await shop.run(["db", "export", "one", "one.jsonl"])).toMatchObject({
      exitCode: 0,
      stdout: "one.jsonl holds one\n",
    });
    expect(readFileSync(shop.path("one.jsonl"), "utf8")).toBe(piped.stdout);
    expect(statSync(shop.path("one.jsonl")).mode & 0o777).toBe(0o600);
    const imported = { exitCode: 0, stdout: "one was imported\n", stderr: "" };
    expect(await shop.run(["db", "import", "one.jsonl", "--db", "a.db"])).toMatchObject(imported);
    expect(await shop.run(["db", "import", "-", "--db", "b.db"], { stdin: piped.stdout })).toMatchObject(imported);
    for (const file of ["a.db", "b.db"])
      expect(await shop.json("show", "one", "--db", file)).toMatchObject({ status: "completed" });
  });

  it("STORE_EXISTS overwrite nothing", async () => {
    await shop.run(["db", "export", "two", "two.jsonl"]);
    const again = await shop.run(["db", "export", "two", "two.jsonl"]);
    expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("STORE_EXISTS") });
    const present = await shop.run(["db", "import", "two.jsonl"]);
    expect(present).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringContaining("STORE_EXISTS") });
  });

  it.each([
    ["EXPORT_INVALID", "text.jsonl", "this is no export\n"],
    ["EXPORT_INVALID", "empty.jsonl", ""],
    ["INPUT_UNREADABLE", "missing.jsonl", undefined],
  ])("%s refuse %s", async (code, file, text) => {
    if (text !== undefined) await writeFile(shop.path(file), text);
    const run = await shop.run(["db", "import", file]);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining(code) });
    expect(run.stderr).not.toMatch(/^\s+at /mu);
  });
});
