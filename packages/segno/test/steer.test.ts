// `cancel`, `pause`, `resume` and `retry`, from a second terminal and where nobody works.

import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const UNDO = `
name: undo
steps:
  - { id: one, run: echo one >> trace.txt, compensate: { run: echo undo one >> trace.txt } }
  - { id: two, run: echo two >> trace.txt, compensate: { run: echo undo two >> trace.txt }, dependsOn: [one] }
  - { id: gate, wait: { signal: never }, dependsOn: [two] }
`;

let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

describe("from a second terminal", () => {
  it("LEASE-5 CANCEL-7 an execution is paused, resumed and cancelled through its inbox", async () => {
    const running = shop.start(["run", "endless.yaml", "--id", "steered"]);
    await running.reports(/gate waits/u);
    expect(await shop.run(["pause", "steered"])).toMatchObject({ exitCode: 0, stdout: "steered is paused\n" });
    expect(await shop.run(["pause", "steered"])).toMatchObject({ exitCode: 0, stdout: "steered is already paused\n" });
    expect(await shop.run(["resume", "steered"])).toMatchObject({ exitCode: 0, stdout: "steered is running\n" });
    const cancel = await shop.run(["cancel", "steered", "--reason", "wrong version", "--json"]);
    expect(JSON.parse(cancel.stdout)).toEqual({ schemaVersion: 1, id: "steered", status: "cancelled", result: "done" });
    const run = await running.ended;
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("‖ paused; to resume it: segno resume steered\n");
    expect(run.stderr).toContain("▶ resumed\n");
    expect(run.stderr).toContain("cancelling: wrong version\n");
  });

  it("FAIL-8 an execution is cancelled, and what it did is undone", async () => {
    await writeFile(shop.path("undo.yaml"), UNDO);
    const running = shop.start(["run", "undo.yaml", "--id", "undone"]);
    await running.reports(/gate waits/u);
    const cancel = await shop.run(["cancel", "undone", "--compensate"]);
    expect(cancel).toMatchObject({ exitCode: 0, stdout: "undone is cancelled\n" });
    expect(await running.ended).toMatchObject({ exitCode: 1 });
    expect(await readFile(shop.path("trace.txt"), "utf8")).toBe("one\ntwo\nundo two\nundo one\n");
  });

  it("LEASE-1 a second run goes to the process that owns the journal, and is followed", async () => {
    const first = shop.start(["run", "endless.yaml", "--id", "owner"]);
    await first.reports(/gate waits/u);
    const second = await shop.run(["run", "quick.yaml", "--id", "guest"]);
    expect(second).toMatchObject({ exitCode: 0, stdout: '{\n  "done": "nobody"\n}\n' });
    expect(second.stderr).toContain("another process owns .segno/segno.db and runs it; this command follows it\n");
    first.send("SIGTERM");
    expect(await first.ended).toMatchObject({ exitCode: 143 });
  });

  it("JOURNAL-3 a second run goes on by itself when the owner ends", async () => {
    const first = shop.start(["run", "endless.yaml", "--id", "going"]);
    await first.reports(/gate waits/u);
    const second = shop.start(["run", "endless.yaml", "--id", "staying"]);
    await second.reports(/gate waits/u);
    first.send("SIGHUP");
    expect(await first.ended).toMatchObject({ exitCode: 129 });
    second.send("SIGINT");
    expect(await second.ended).toMatchObject({ exitCode: 130, stderr: expect.stringContaining("endless cancelled") });
    expect(await shop.run(["cancel", "going"])).toMatchObject({ exitCode: 0 });
  });
});

describe("where nobody works", () => {
  async function left(id: string): Promise<void> {
    const running = shop.start(["run", "endless.yaml", "--id", id]);
    await running.reports(/gate waits/u);
    running.send("SIGHUP");
    await running.ended;
  }

  it("CANCEL-2 an execution is cancelled all the same", async () => {
    await left("left-1");
    expect(await shop.run(["cancel", "left-1"])).toMatchObject({ exitCode: 0, stdout: "left-1 is cancelled\n" });
  });

  it("CANCEL-7 it is paused and resumed, and who looks is told that nobody works", async () => {
    await left("left-2");
    const nobody = "; no process runs it; to resume it: segno work\n";
    expect(await shop.run(["pause", "left-2"])).toMatchObject({ stdout: `left-2 is paused${nobody}` });
    expect(await shop.run(["resume", "left-2"])).toMatchObject({ stdout: `left-2 is running${nobody}` });
    await shop.run(["cancel", "left-2"]);
  });
});

describe("what has ended", () => {
  it.each([["cancel"], ["pause"], ["resume"]])("CANCEL-6 %s is answered with its state, and 6", async (verb) => {
    await shop.run(["run", "quick.yaml", "--id", `ended-${verb}`]);
    const run = await shop.run([verb, `ended-${verb}`]);
    expect(run).toMatchObject({ exitCode: 6, stdout: "" });
    expect(run.stderr).toBe(`segno: ended-${verb} has ended: completed; there is nothing to ${verb}\n`);
  });

  it("STATE-2 only what failed is tried again", async () => {
    await shop.run(["run", "quick.yaml", "--id", "fine"]);
    const run = await shop.run(["retry", "fine"]);
    expect(run).toMatchObject({ exitCode: 6, stderr: "segno: fine has ended: completed; there is nothing to retry\n" });
  });
});

describe("retry", () => {
  it("STATE-2 opens a new round here where nobody works, and ends as it ends", async () => {
    await shop.run(["run", "failing.yaml", "--id", "again"]);
    const run = await shop.run(["retry", "again"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toMatch(/^retrying again; if this is interrupted: segno work\n▶ round 2: /u);
    expect(run.stderr).toContain("✗ gate the signal `go` did not arrive in time");
    const [scripted = ""] = run.stderr.split("\n\n");
    expect(scripted).not.toContain("✓ first");
    expect(await shop.json("show", "again")).toMatchObject({ round: 2, status: "failed" });
  });

  it("goes on in the process that owns the journal", async () => {
    await shop.run(["run", "failing.yaml", "--id", "posted"]);
    const owner = shop.start(["work"]);
    await owner.reports(/nothing to do; waiting/u);
    expect(await shop.run(["retry", "posted"])).toMatchObject({ exitCode: 0, stderr: "" });
    await owner.reports(/failing failed/u);
    owner.send("SIGTERM");
    expect(await owner.ended).toMatchObject({ exitCode: 143 });
  });

  it("goes on in the background", async () => {
    await shop.run(["run", "failing.yaml", "--id", "behind"]);
    expect(await shop.run(["retry", "behind", "--detach"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await shop.run(["watch", "behind"])).toMatchObject({ exitCode: 1 });
    expect(await shop.json("show", "behind")).toMatchObject({ round: 2 });
  });
});
