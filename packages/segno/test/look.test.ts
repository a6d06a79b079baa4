// `list`, `show`, `logs`, `watch`, `why` and `explain`: looking changes nothing, and finds by what people type.

import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  await shop.run(["run", "failing.yaml", "--id", "alpha-1"]);
  await shop.run(["run", "quick.yaml", "--id", "alpha-2"]);
  await shop.run([
    "run",
    "quick.yaml",
    "--id",
    "beta",
    "--label",
    "team=shop",
    "--label",
    "env=test",
    "--correlation",
    "c1",
  ]);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("list", () => {
  it("has the newest first, with what was done and how old it is", async () => {
    const run = await shop.run(["list"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout.replaceAll(/ +(?:\d+m)?\d+s$/gmu, "      0s")).toBe(
      [
        "id       workflow  status           done     age",
        "beta     quick     completed         2/2      0s",
        "alpha-2  quick     completed         2/2      0s",
        "alpha-1  failing   failed            3/3      0s",
        "",
      ].join("\n"),
    );
  });

  it("can be asked for a status, a workflow, a time, a label, a correlation id, a text and so many", async () => {
    const ids = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await shop.json<{ executions: readonly { id: string }[] }>("list", ...words)).executions.map(({ id }) => id);
    expect(await ids("--status", "failed,running")).toEqual(["alpha-1"]);
    expect(await ids("--workflow", "quick", "--limit", "1")).toEqual(["beta"]);
    expect(await ids("--workflow", "none")).toEqual([]);
    expect(await ids("--label", "team=shop", "--label", "env=test")).toEqual(["beta"]);
    expect(await ids("--label", "team=shop", "--label", "env=live")).toEqual([]);
    expect(await ids("--correlation", "c1")).toEqual(["beta"]);
    expect(await ids("--text", "LPHA")).toEqual(["alpha-2", "alpha-1"]);
    expect(await ids("--text", "SIGNAL")).toEqual(["alpha-1"]);
    expect(await ids("--since", "1h", "--until", "2999-01-01")).toEqual(["beta", "alpha-2", "alpha-1"]);
    expect(await ids("--until", "1h")).toEqual([]);
    const wrong = await shop.run(["list", "--status", "broken"]);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("expected one or more of pending") });
    const never = await shop.run(["list", "--since", "yesterday"]);
    expect(never).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("expected a duration such as 30m") });
    const nameless = await shop.run(["list", "--label", "team"]);
    expect(nameless).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a label such as team=payments") });
    const hostile = await shop.run(["list", "--label", "a b=c"]);
    expect(hostile).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("LABEL_INVALID") });
  });
});

describe("an execution", () => {
  it("is found by its id, the beginning of it, and @last", async () => {
    const toId = async (word: string): Promise<string> => (await shop.json<{ id: string }>("show", word)).id;
    expect([await toId("alpha-1"), await toId("bet"), await toId("@last")]).toEqual(["alpha-1", "beta", "beta"]);
  });

  it("EXECUTION_AMBIGUOUS is not guessed: the candidates are shown", async () => {
    const run = await shop.run(["show", "alpha"]);
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toBe(
      "segno: EXECUTION_AMBIGUOUS 2 executions begin with alpha; give more of the id:\n  alpha-1  failing, failed\n  alpha-2  quick, completed\n",
    );
  });

  it.each([
    ["EXECUTION_UNKNOWN", ["show", "gamma"]],
    ["EXECUTION_UNKNOWN", ["cancel", "01a1e272-aa02-7c93-83d6-2d13bfa64af0"]],
    ["STEP_UNKNOWN", ["logs", "beta", "frist"]],
    ["STEP_UNKNOWN", ["why", "beta", "nothing-like-it"]],
  ])("%s that is not there ends with 5", async (code, words) => {
    const run = await shop.run(words);
    expect(run).toMatchObject({ exitCode: 5, stdout: "", stderr: expect.stringContaining(code) });
  });

  it("STEP_UNKNOWN comes with the name that was meant", async () => {
    expect((await shop.run(["logs", "beta", "frist"])).stderr).toContain("did you mean `first`?");
  });
});

describe("show", () => {
  it("JOURNAL-2 has every step, how it ended and why, and what to type next", async () => {
    const run = await shop.run(["show", "alpha-1"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^failing alpha-1 failed in \S+\nstarted .*Z, 3 of 3 steps ended\n/u);
    expect(run.stdout).toMatch(/✓ first +succeeded/u);
    expect(run.stdout).toMatch(/✗ gate +failed +- +\S+ +the signal `go` did not arrive in time\n/u);
    expect(run.stdout).toContain("SIGNAL_TIMEOUT the signal `go` did not arrive in time\n");
    expect(run.stdout).toMatch(/next: segno logs alpha-1 gate\n/u);
  });

  it("has the output of what completed", async () => {
    expect((await shop.run(["show", "beta"])).stdout).toMatch(/\noutput\n\{\n {2}"done": "nobody"\n\}\n$/u);
  });
});

describe("watch", () => {
  it("ends as the execution did", async () => {
    expect(await shop.run(["watch", "alpha-1"])).toMatchObject({ exitCode: 1, stdout: "" });
    const run = await shop.run(["watch", "beta"]);
    expect(run).toMatchObject({ exitCode: 0, stdout: '{\n  "done": "nobody"\n}\n' });
    expect(run.stderr).toContain("✓ second ");
  });

  it("LEASE-5 sees what happens in another process until it ends", async () => {
    const running = shop.start(["run", "endless.yaml", "--id", "elsewhere", "--db", "watched.db"]);
    await running.reports(/gate waits/u);
    const watching = shop.start(["watch", "else", "--db", "watched.db"]);
    await watching.reports(/gate waits for the signal `never`/u);
    await shop.run(["cancel", "elsewhere", "--db", "watched.db"]);
    expect(await watching.ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("endless cancelled") });
    expect(await running.ended).toMatchObject({ exitCode: 1 });
  });
});

describe("what is not there", () => {
  it.each([["list"], ["show @last"], ["logs x"], ["watch x"], ["why x"], ["cancel x"], ["retry x"], ["db check"]])(
    "JOURNAL_MISSING %s says so, ends with 5 and makes no journal",
    async (line) => {
      await using empty = await CommandFixture.open();
      const before = readdirSync(empty.folder);
      const run = await empty.run(line.split(" "));
      expect(run).toMatchObject({ exitCode: 5, stdout: "" });
      expect(run.stderr).toBe(
        "segno: JOURNAL_MISSING there is no journal at .segno/segno.db; `segno run` creates one\n",
      );
      expect(readdirSync(empty.folder)).toEqual(before);
      expect(existsSync(empty.path(".segno"))).toBe(false);
    },
  );

  it("STORE_CORRUPT a file that is no journal ends with 7 and its cause", async () => {
    await writeFile(
      shop.path("text.db"),
      "this is no journal, and long enough to be taken for a header of one".repeat(20),
    );
    const run = await shop.run(["list", "--db", "text.db"]);
    expect(run).toMatchObject({ exitCode: 7, stdout: "", stderr: expect.stringContaining("STORE_CORRUPT") });
  });
});

describe("explain", () => {
  it("says what a code means and what to do, however it is written", async () => {
    const run = await shop.run(["explain", "dependency-cycle"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^DEPENDENCY_CYCLE\nSteps depend on each other in a cycle.*\nWhat to do: /u);
    expect(await shop.json("explain", "STEP_UNKNOWN")).toMatchObject({
      schemaVersion: 1,
      code: "STEP_UNKNOWN",
      exitCode: 5,
    });
  });

  it.each([
    ["EXECUTION_UNKNOW", "did you mean EXECUTION_UNKNOWN?"],
    ["backup", "docs/reference/errors.md lists all codes"],
    ["cycle", "did you mean DEPENDENCY_CYCLE, WORKFLOW_CYCLE, TASK_CYCLE?"],
  ])("does not know %s, and helps", async (word, help) => {
    const run = await shop.run(["explain", word]);
    expect(run).toMatchObject({ exitCode: 5, stdout: "" });
    expect(run.stderr).toBe(`segno: there is no code ${word}; ${help}\n`);
  });
});
