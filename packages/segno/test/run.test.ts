// `segno run` as scripts see it: what goes where, and how it ends.

import { existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

const ESCAPE = "\u001b";
let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

describe("run", () => {
  it("prints the output on stdout and everything else on stderr", async () => {
    const run = await shop.run(["run", "quick.yaml", "--input", '{"name":"Ada"}']);
    expect(run).toMatchObject({ exitCode: 0, stdout: '{\n  "done": "Ada"\n}\n' });
    expect(run.stderr).toMatch(/^quick [0-9a-f-]{36} started; if this is interrupted: segno work\n/u);
    expect(run.stderr).toContain("✓ first ");
    expect(run.stderr).toMatch(/quick completed in \S+: 2 succeeded\nnext: segno show [0-9a-f-]{18}\n$/u);
    expect(run.stderr).not.toContain(ESCAPE);
  });

  it("prints one document with --json, without colour even where colour is forced", async () => {
    const run = await shop.run(["run", "quick.yaml", "--json"], { environment: { FORCE_COLOR: "1" } });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).not.toContain(ESCAPE);
    expect(run.stderr).toContain(ESCAPE);
    expect(JSON.parse(run.stdout)).toMatchObject({
      schemaVersion: 1,
      workflow: "quick",
      status: "completed",
      output: { done: "nobody" },
      progress: { done: 2, total: 2 },
      steps: [
        { name: "first", status: "succeeded" },
        { name: "second", status: "succeeded" },
      ],
    });
  });

  it("EVENT-1 prints an event a line with --jsonl, and the result at last", async () => {
    const run = await shop.run(["run", "quick.yaml", "--jsonl"], { environment: { FORCE_COLOR: "1" } });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).not.toContain(ESCAPE);
    const lines = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { schemaVersion: number; kind: string; seq?: number });
    expect(lines.every(({ schemaVersion }) => schemaVersion === 1)).toBe(true);
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(lines.slice(0, -1).map((_, index) => index + 1));
    expect(lines.at(-2)).toMatchObject({ kind: "execution.completed", workflow: "quick" });
    expect(lines.at(-1)).toMatchObject({ kind: "result", status: "completed", output: { done: "nobody" } });
  });

  it("STATE-10 ends with 1 for a failure, and says why and what to type", async () => {
    const run = await shop.run(["run", "failing.yaml"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("✗ gate the signal `go` did not arrive in time");
    expect(run.stderr).toMatch(/✗ gate +failed/u);
    expect(run.stderr).toMatch(/- after +skipped/u);
    expect(run.stderr).toMatch(
      /next: segno logs [0-9a-f-]{18} gate\n {6}segno explain SIGNAL_TIMEOUT\n {6}segno retry /u,
    );
  });

  it.each([
    ["the workflow's own time", ["run", "patient.yaml"], "the execution took longer than 50 ms"],
    ["--timeout", ["run", "endless.yaml", "--timeout", "50ms"], "it took longer than 50ms (--timeout)"],
  ])("FAIL-4 EXECUTION_TIMEOUT ends with 124 when %s is over", async (_, words, message) => {
    const run = await shop.run(words);
    expect(run).toMatchObject({ exitCode: 124, stdout: "" });
    expect(run.stderr).toContain(message);
  });
});

describe("run refuses", () => {
  it.each([
    ["a contract that is not there", ["run", "missing.yaml"], 3, "CONTRACT_UNREADABLE"],
    ["an input that does not fit", ["run", "strict.yaml", "--input", "{}"], 3, "INPUT_INVALID"],
    ["no input where one is needed", ["run", "strict.yaml"], 3, "INPUT_INVALID"],
    ["a key of the wrong form", ["run", "quick.yaml", "--key", "no spaces"], 2, "IDEMPOTENCY_KEY_INVALID"],
    ["a number that is none", ["run", "quick.yaml", "--slots", "many"], 2, "expected a whole number"],
    ["a duration that is none", ["run", "quick.yaml", "--timeout", "soon"], 2, "expected a duration"],
  ])("%s before anything starts", async (_, words, exitCode, message) => {
    await using own = await CommandFixture.open();
    const run = await own.run(words);
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain("started");
  });

  it("EXECUTION_EXISTS an id that is taken", async () => {
    await shop.run(["run", "quick.yaml", "--id", "mine"]);
    const run = await shop.run(["run", "quick.yaml", "--id", "mine"]);
    expect(run).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringContaining("EXECUTION_EXISTS") });
  });

  it("STORE_CORRUPT a journal that is none", async () => {
    const run = await shop.run(["run", "quick.yaml", "--db", "quick.yaml"]);
    expect(run).toMatchObject({ exitCode: 7, stdout: "", stderr: expect.stringMatching(/^segno: STORE_/u) });
  });
});

describe("a key", () => {
  it("IDEM-1 IDEM-2 gives the same execution, and refuses another input", async () => {
    const first = await shop.json<{ id: string }>("run", "quick.yaml", "--key", "release-1");
    const again = await shop.json<{ id: string }>("run", "quick.yaml", "--key", "release-1");
    expect(again.id).toBe(first.id);
    const other = await shop.run(["run", "quick.yaml", "--key", "release-1", "--input", '{"name":"Bob"}']);
    expect(other).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("IDEMPOTENCY_CONFLICT") });
  });
});

describe("run --detach", () => {
  it("JOURNAL-1 prints the id when it is recorded, and it goes on without anybody", async () => {
    await using own = await CommandFixture.open();
    const run = await own.run(["run", "quick.yaml", "--detach"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^[0-9a-f-]{36}\n$/u);
    const watch = await own.run(["watch", run.stdout.trim()]);
    expect(watch).toMatchObject({ exitCode: 0, stdout: '{\n  "done": "nobody"\n}\n' });
    const { executions } = await own.json<Listing>("list");
    expect(executions).toMatchObject([{ id: run.stdout.trim(), status: "completed" }]);
  });

  it("FILE_UNWRITABLE refuses a log that is a link, before anything is recorded", async () => {
    await using own = await CommandFixture.open();
    await own.run(["run", "quick.yaml"]);
    symlinkSync(own.path("elsewhere.txt"), own.path(".segno/work.log"));
    const run = await own.run(["run", "quick.yaml", "--detach"]);
    expect(run).toMatchObject({ exitCode: 3, stdout: "" });
    expect(run.stderr).toContain("FILE_UNWRITABLE .segno/work.log cannot be written: it is a symbolic link");
    expect(existsSync(own.path("elsewhere.txt"))).toBe(false);
    expect((await own.json<Listing>("list")).executions).toHaveLength(1);
  });

  it("FILE_UNWRITABLE refuses a log that is a hard link to another file", async () => {
    await using own = await CommandFixture.open();
    mkdirSync(own.path(".segno"));
    writeFileSync(own.path("elsewhere.txt"), "");
    linkSync(own.path("elsewhere.txt"), own.path(".segno/work.log"));
    const run = await own.run(["run", "quick.yaml", "--detach"]);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("hard links") });
  });

  it("FILE_UNWRITABLE refuses a log that is not a file", async () => {
    await using own = await CommandFixture.open();
    mkdirSync(own.path(".segno/work.log"), { recursive: true });
    const run = await own.run(["run", "quick.yaml", "--detach"]);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("FILE_UNWRITABLE") });
  });
});
