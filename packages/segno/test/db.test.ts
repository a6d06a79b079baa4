// `segno db`: looking after the journal.

import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  await shop.run(["run", "quick.yaml", "--id", "one"]);
  await shop.run(["run", "failing.yaml", "--id", "two"]);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("db check", () => {
  it("JOURNAL-4 says that all is well, and how much it has read", async () => {
    const run = await shop.run(["db", "check"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^2 executions with \d+ events checked: no damage\n$/u);
  });

  it("JOURNAL-4 names what was changed behind Segno's back, and ends with 1", async () => {
    await shop.run(["db", "backup", "damaged.db"]);
    sql("damaged.db", "UPDATE journal SET body = replace(body, 'quick', 'quack')");
    const run = await shop.run(["db", "check", "--db", "damaged.db"]);
    expect(run).toMatchObject({ exitCode: 1, stderr: "" });
    expect(run.stdout).toMatch(
      /^damaged one quick: JOURNAL_DAMAGED .+\n2 executions with \d+ events checked: 1 damaged\n$/u,
    );
    const { ok, damaged } = JSON.parse((await shop.run(["db", "check", "--db", "damaged.db", "--json"])).stdout) as {
      ok: boolean;
      damaged: object[];
    };
    expect([ok, damaged]).toMatchObject([false, [{ id: "one", findings: [{ code: "JOURNAL_DAMAGED" }] }]]);
    const repair = await shop.run(["db", "repair", "--db", "damaged.db"]);
    expect(repair).toMatchObject({ exitCode: 1, stderr: "" });
    expect(repair.stdout).toMatch(/^not repaired one: JOURNAL_DAMAGED .+\n0 executions repaired, 1 not repaired\n$/u);
  });

  it("JOURNAL-4 names a projection that contradicts its journal, and db repair makes it again", async () => {
    await shop.run(["db", "backup", "wrong.db"]);
    sql("wrong.db", "UPDATE executions SET status = 'running' WHERE id = 'one'");
    const check = await shop.run(["db", "check", "--db", "wrong.db"]);
    expect(check.exitCode).toBe(1);
    expect(check.stdout).toContain(
      'damaged one quick: PROJECTION_WRONG `status` is "running"; its journal gives "completed"\n',
    );
    expect(check.stdout).toMatch(/db repair rebuilds projections from their journals\n$/u);
    const repair = await shop.run(["db", "repair", "--db", "wrong.db"]);
    expect(repair).toMatchObject({ exitCode: 0, stderr: "" });
    expect(repair.stdout).toMatch(/^repaired one: PROJECTION_WRONG .+\n1 execution repaired, 0 not repaired\n$/u);
    expect((await shop.run(["db", "check", "--db", "wrong.db"])).exitCode).toBe(0);
    expect((await shop.run(["db", "repair", "--db", "wrong.db"])).stdout).toBe("wrong.db: nothing to repair\n");
  });

  it("JOURNAL-4 db repair says that it restored the ids of rows, and then has nothing to repair", async () => {
    await shop.run(["db", "backup", "lost.db"]);
    sql("lost.db", "UPDATE executions SET key = 1125899906842624 WHERE id = 'one'");
    const repair = await shop.run(["db", "repair", "--db", "lost.db"]);
    expect(repair).toMatchObject({ exitCode: 0, stderr: "" });
    expect(repair.stdout).toMatch(/^repaired the ids of 1 row\n0 executions repaired, 0 not repaired\n$/u);
    expect((await shop.run(["db", "check", "--db", "lost.db"])).exitCode).toBe(0);
    expect((await shop.run(["db", "repair", "--db", "lost.db"])).stdout).toBe("lost.db: nothing to repair\n");
  });

  it("JOURNAL-6 db recover lifts a quarantine that nothing speaks for, and refuses one that something does", async () => {
    await shop.run(["db", "backup", "aside.db"]);
    sql(
      "aside.db",
      "UPDATE executions SET quarantined = 'an exception inside a turn'",
      "UPDATE journal SET body = replace(body, 'quick', 'quack')",
    );
    const check = await shop.run(["db", "check", "--db", "aside.db"]);
    expect(check.stdout).toContain("quarantined two failing: an exception inside a turn\n");
    expect(await shop.run(["db", "recover", "two", "--db", "aside.db"])).toMatchObject({
      exitCode: 0,
      stdout: "two is not damaged and no longer quarantined\n",
    });
    expect((await shop.run(["show", "two", "--db", "aside.db"])).exitCode).toBe(0);
    const refused = await shop.run(["db", "recover", "one", "--db", "aside.db"]);
    expect(refused).toMatchObject({ exitCode: 7, stdout: "" });
    expect(refused.stderr).toMatch(/STORE_CORRUPT .*the execution one stays quarantined: JOURNAL_DAMAGED/u);
  });
});

describe("db check of rows that Segno does not write", () => {
  it("JOURNAL-4 names bytes in place of a journal row, and a wrong mark of the rows, which db repair sets right", async () => {
    await shop.run(["db", "backup", "bytes.db"]);
    sql("bytes.db", "UPDATE meta SET value = 9e15 WHERE key = 'settled'");
    const mark = await shop.run(["db", "check", "--db", "bytes.db"]);
    expect(mark).toMatchObject({ exitCode: 1, stderr: "" });
    expect(mark.stdout).toMatch(
      /^damaged PROJECTION_WRONG `settled` is 9\S+, which is no checkpoint; the journal ends at \d+\n/u,
    );
    expect((await shop.run(["db", "repair", "--db", "bytes.db"])).exitCode).toBe(0);
    expect((await shop.run(["db", "check", "--db", "bytes.db"])).exitCode).toBe(0);
    sql(
      "bytes.db",
      "UPDATE journal SET body = x'010203' WHERE id = (SELECT last_block FROM executions WHERE id = 'one')",
    );
    const check = await shop.run(["db", "check", "--db", "bytes.db"]);
    expect(check).toMatchObject({ exitCode: 1, stderr: "" });
    expect(check.stdout).toMatch(/^damaged one quick: JOURNAL_DAMAGED /u);
    expect((await shop.run(["show", "one", "--db", "bytes.db"])).stderr).toContain("STORE_CORRUPT");
  });
});

describe("an execution whose payloads were removed", () => {
  it("DATA-11 PAYLOAD_REMOVED refuses to be retried, and can be shown, exported and checked", async () => {
    await shop.run(["db", "backup", "removed.db"]);
    const { Engine } = await import("@segno/engine");
    const engine = await Engine.open({ file: shop.path("removed.db") });
    await engine.removePayloads("two");
    await engine.close();
    for (const words of [
      ["retry", "two"],
      ["retry", "two", "--undo"],
      ["retry", "two", "--detach"],
    ]) {
      const run = await shop.run([...words, "--db", "removed.db"]);
      expect(run).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringContaining("PAYLOAD_REMOVED") });
    }
    for (const words of [
      ["show", "two"],
      ["why", "two"],
      ["logs", "two"],
      ["db", "export", "two"],
      ["db", "check"],
    ])
      expect([words, (await shop.run([...words, "--db", "removed.db"])).exitCode]).toEqual([words, 0]);
  });
});

function sql(file: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(shop.path(file));
  for (const statement of statements) database.exec(statement);
  database.close();
}

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
