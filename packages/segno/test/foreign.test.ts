// Journals that came from elsewhere: planted in a repository, copied, restored from a backup.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { Engine } from "@segno/engine";
import { stepId } from "@segno/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hasScript, PseudoTerminal } from "./pseudo-terminal.ts";
import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;
beforeEach(async () => void (shop = await CommandFixture.open()));
afterEach(() => shop[Symbol.asyncDispose]());

const JOURNAL = ".segno/segno.db";
/** Waits for ever when it runs first, and ends when it runs again. */
const PLANTED = `
name: planted
steps:
  - { id: strike, run: "echo struck >> struck.txt; test $(wc -l < struck.txt) -gt 1 || exec sleep 600" }
`;

const strikes = (): number => readFileSync(shop.path("struck.txt"), "utf8").split("\n").length - 1;

/** Another user, as far as the journal can tell: with another key. */
const elsewhere = (): { XDG_STATE_HOME: string } => ({ XDG_STATE_HOME: shop.path("state-of-another") });

/** A journal with an execution that another user left unfinished. */
async function plant(): Promise<void> {
  writeFileSync(shop.path("planted.yaml"), PLANTED);
  const running = shop.start(["run", "planted.yaml", "--id", "planted"], { environment: elsewhere() });
  await running.reports(/strike/u);
  // The shell creates the file before it writes the line.
  while (!existsSync(shop.path("struck.txt")) || strikes() < 1) await setTimeout(5);
  running.send("SIGHUP");
  await running.ended;
  expect(strikes()).toBe(1);
}

const statuses = async (): Promise<readonly string[]> =>
  (await shop.json<Listing>("list")).executions.map(({ id, status }) => `${id} ${status}`);

describe("a link to a journal of the same user in another folder", () => {
  beforeEach(async () => {
    mkdirSync(shop.path("other"));
    expect(await shop.run(["run", "quick.yaml", "--id", "mine", "--db", "other/segno.db"])).toMatchObject({
      exitCode: 0,
    });
  });

  it.each([
    ["the folder", () => symlinkSync("other", shop.path(".segno"))],
    ["the file", () => (mkdirSync(shop.path(".segno")), symlinkSync("../other/segno.db", shop.path(JOURNAL)))],
  ] as const)("STORE_FOREIGN is refused by `work` where %s is a link, unless it is told otherwise", async (_, link) => {
    link();
    const refused = await shop.run(["work", "--until-idle"]);
    expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
    expect(refused.stderr).toContain("segno: STORE_FOREIGN .segno/segno.db is a link to ");
    for (const words of [["--yes"], ["--db", JOURNAL]])
      expect(await shop.run(["work", "--until-idle", ...words])).toMatchObject({ exitCode: 0 });
  });
});

describe("a journal that another user made", () => {
  it("STORE_FOREIGN is not gone on with by `run`, which names what is unfinished in it", async () => {
    await plant();
    const run = await shop.run(["run", "quick.yaml", "--id", "mine"]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain("unfinished and not resumed here: planted planted; to resume them: segno work\n");
    expect(run.stderr).not.toContain("may still run steps");
    expect([strikes(), await statuses()]).toEqual([1, ["mine completed", "planted running"]]);
  });

  it("STORE_FOREIGN has starts in its inbox that `run` does not take", async () => {
    await plant();
    await using poster = await Engine.open({ file: shop.path(JOURNAL), mode: "post" });
    const action = { kind: "run", script: "echo struck >> struck.txt" } as const;
    await poster.start({ name: "posted", steps: [{ id: stepId("strike"), action }] });
    await poster.close();
    expect(await shop.run(["run", "quick.yaml", "--id", "mine"])).toMatchObject({ exitCode: 0 });
    expect([strikes(), await statuses()]).toEqual([1, ["mine completed", "planted running"]]);
  });

  it.each([["run", "quick.yaml"], ["run", "quick.yaml", "--detach", "--yes"], ["list"], ["db", "check"]])(
    "STORE_SCHEMA is refused by `%s %s` where a trigger would post a start, and nothing runs",
    async (...words) => {
      await plant();
      const database = new DatabaseSync(shop.path(JOURNAL));
      database.exec(`
        CREATE TRIGGER planted AFTER INSERT ON journal BEGIN
          INSERT INTO inbox (execution, posted_at, body) VALUES ('x', 1, '{}');
        END`);
      database.close();
      const refused = await shop.run(words);
      expect(refused).toMatchObject({ exitCode: 7, stdout: "" });
      expect(refused.stderr).toContain('STORE_SCHEMA the trigger "planted" is not part of a store');
      expect(strikes()).toBe(1);
    },
  );

  it.each([[["work"]], [["run", "quick.yaml", "--detach"]], [["run", "quick.yaml", "--key", "k"]]])(
    "STORE_FOREIGN is refused by `%s` where nobody can be asked",
    async (words) => {
      await plant();
      const refused = await shop.run(words);
      expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
      expect(refused.stderr).toContain(
        "segno: STORE_FOREIGN .segno/segno.db was created by another user or on another machine; `segno list` shows " +
          "its content, and --yes accepts it\n",
      );
      expect([strikes(), await statuses()]).toEqual([1, ["planted running"]]);
    },
  );
});

describe("a journal that another user made, and --yes", () => {
  it("STORE_FOREIGN is gone on with after --yes, and is this user's from then on", async () => {
    await plant();
    expect(await shop.run(["work", "--until-idle", "--yes"])).toMatchObject({ exitCode: 0 });
    expect([strikes(), await statuses()]).toEqual([2, ["planted completed"]]);
    expect(await shop.run(["work", "--until-idle"])).toMatchObject({ exitCode: 0 });
    expect(await shop.run(["work", "--until-idle"], { environment: elsewhere() })).toMatchObject({ exitCode: 6 });
  });

  it("STORE_FOREIGN is what a journal is where no key can be kept; --yes goes on with it all the same", async () => {
    writeFileSync(shop.path("no-folder"), "");
    const environment = { XDG_STATE_HOME: shop.path("no-folder") };
    expect(await shop.run(["run", "quick.yaml"], { environment })).toMatchObject({ exitCode: 0 });
    expect(await shop.run(["work", "--until-idle"], { environment })).toMatchObject({ exitCode: 6 });
    expect(await shop.run(["work", "--until-idle", "--yes"], { environment })).toMatchObject({ exitCode: 0 });
    expect(await shop.run(["run", "quick.yaml", "--detach", "--yes"], { environment })).toMatchObject({ exitCode: 0 });
  });

  it.runIf(hasScript).each([
    ["yes", 0, 2],
    ["no", 6, 1],
    ["", 6, 1],
  ])("STORE_FOREIGN is asked about at a terminal: %j", async (answer, exitCode, struck) => {
    await plant();
    const environment = { XDG_STATE_HOME: process.env["XDG_STATE_HOME"]! };
    const terminal = new PseudoTerminal(["work", "--until-idle"], { folder: shop.folder, environment });
    await terminal.shows(/another machine; unfinished: planted planted\. Use it\?/u);
    terminal.press(`${answer}\r`);
    expect([await terminal.ended, strikes()]).toEqual([exitCode, struck]);
  });
});

describe("a copy of a journal whose owner runs a command", () => {
  const SLOW = `
name: slow
steps:
  - { id: slow, run: "until test -e go; do sleep 0.02; done", retry: { attempts: 1 } }
`;
  const noted = (): number => {
    const database = new DatabaseSync(shop.path(JOURNAL), { readOnly: true });
    const { rows } = database.prepare("SELECT count(*) AS rows FROM processes").get() as { rows: number };
    database.close();
    return rows;
  };
  const COPIES: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      "cp",
      async () => {
        for (const suffix of ["", "-wal"]) copyFileSync(shop.path(JOURNAL + suffix), shop.path(`copy.db${suffix}`));
      },
    ],
    ["backup", () => shop.run(["db", "backup", "copy.db"])],
    [
      "export and import",
      async () => {
        writeFileSync(shop.path("slow.jsonl"), (await shop.run(["db", "export", "original"])).stdout);
        expect(await shop.run(["db", "import", "slow.jsonl", "--db", "copy.db"])).toMatchObject({ exitCode: 0 });
      },
    ],
  ];

  it.each(COPIES)("CANCEL-2 made by %s can be worked on, and the original's command goes on", async (_, copy) => {
    writeFileSync(shop.path("slow.yaml"), SLOW);
    const original = shop.start(["run", "slow.yaml", "--id", "original", "--json"]);
    await original.reports(/slow/u);
    while (noted() === 0) await new Promise((resolve) => setImmediate(resolve));
    await copy();
    // A copy with its log is foreign, and is worked on by somebody's decision.
    const other = shop.start(["work", "--until-idle", "--yes", "--db", "copy.db"]);
    await other.reports(/original resumed/u);
    writeFileSync(shop.path("go"), "");
    expect(await other.ended).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await original.ended;
    expect([exitCode, (JSON.parse(stdout) as { status: string }).status]).toEqual([0, "completed"]);
    rmSync(shop.path("go"));
  });

  it("CANCEL-2 JOURNAL-7 has no processes when it is a backup", async () => {
    writeFileSync(shop.path("slow.yaml"), SLOW);
    const original = shop.start(["run", "slow.yaml", "--id", "original"]);
    await original.reports(/slow/u);
    while (noted() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await shop.run(["db", "backup", "copy.db"])).toMatchObject({ exitCode: 0 });
    writeFileSync(shop.path("go"), "");
    await original.ended;
    const database = new DatabaseSync(shop.path("copy.db"), { readOnly: true });
    expect(database.prepare("SELECT * FROM processes").all()).toEqual([]);
    database.close();
  });
});

it("a link to a device in place of the worker's note is not read", async () => {
  mkdirSync(shop.path(".segno"));
  symlinkSync("/dev/zero", shop.path(".segno/segno.db-worker"));
  expect(await shop.run(["run", "quick.yaml"])).toMatchObject({ exitCode: 0 });
});
