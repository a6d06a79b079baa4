// Steps that could not be undone: the messages of the commands, and `segno retry --undo`.

import { rm, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const TRIP = `
name: trip
onFailure: compensate
steps:
  - { id: hotel, run: exit 0, compensate: { run: exit 0 } }
  - { id: car, run: exit 0, dependsOn: [hotel], compensate: { run: "[ ! -e closed ] || { echo the desk is closed >&2; exit 1; }" } }
  - { id: flight, run: "echo no seats left >&2; exit 1", dependsOn: [car] }
`;

const PARTY = `
name: party
steps:
  - { id: hall, run: exit 0, compensate: { run: "[ ! -e closed ]" } }
  - { id: gate, wait: { signal: never }, dependsOn: [hall] }
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("trip.yaml"), TRIP);
  await writeFile(shop.path("party.yaml"), PARTY);
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => writeFile(shop.path("closed"), ""));

const reopen = (): Promise<void> => rm(shop.path("closed"));
const WHY = "the command ended with exit code 1: the desk is closed";
const left = (id: string): string =>
  `1 of 2 could not be undone: \`car\` (${WHY}); to try again: segno retry ${id} --undo\n`;

describe("what could not be undone", () => {
  it("FAIL-8 is one line of run and of show after the failure, with the command that tries again", async () => {
    const run = await shop.run(["run", "trip.yaml", "--id", "told"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    const failure = "COMMAND_FAILED the command ended with exit code 1: no seats left\n";
    expect(run.stderr).toContain(`${failure}${left("told")}trip failed in`);
    expect((await shop.run(["show", "told"])).stdout).toContain(`${failure}${left("told")}\nnext: `);
  });

  it("FAIL-8 is in the document of run and show, and by name in the events", async () => {
    const words = ["run", "trip.yaml", "--id"];
    const run = await shop.run([...words, "read", "--json"]);
    const notUndone = [{ step: "car", failure: { code: "COMMAND_FAILED", message: WHY } }];
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "failed", notUndone });
    expect(await shop.json("show", "read")).toMatchObject({ notUndone });
    const lines = (await shop.run([...words, "lines", "--jsonl"])).stdout.trim().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { readonly kind: string; readonly data?: object });
    const end = events.find(({ kind }) => kind === "execution.failed");
    expect(end).toMatchObject({ notUndone: ["car"] });
    expect(end?.data).not.toHaveProperty("notUndone");
    expect(events.at(-1)).toMatchObject({ kind: "result", notUndone });
  });
});

describe("retry --undo", () => {
  it("FAIL-8 tries only the undoing again, says what is still left, and ends with 0 when nothing is", async () => {
    await shop.run(["run", "trip.yaml", "--id", "again"]);
    const first = await shop.run(["retry", "again", "--undo"]);
    expect(first).toMatchObject({ exitCode: 1, stdout: "" });
    expect(first.stderr).toMatch(/^retrying the undo of again; .*\n↶ undoing 1 step\n▶ car\/comp/u);
    expect(first.stderr).toContain(left("again"));
    await reopen();
    const second = await shop.run(["retry", "again", "--undo"]);
    expect(second).toMatchObject({ exitCode: 0, stdout: "" });
    expect(second.stderr).not.toContain("could not be undone: ");
    expect(second.stderr).toMatch(/\nnothing is left to undo\n$/u);
    const shown = await shop.json("show", "again");
    expect(shown).toMatchObject({ status: "failed", round: 1, failure: { code: "COMMAND_FAILED" } });
    expect(shown).not.toHaveProperty("notUndone");
  });

  it("FAIL-8 is refused with 6 and a better word where nothing is left, or it has not ended", async () => {
    await reopen();
    await shop.run(["run", "trip.yaml", "--id", "clean"]);
    expect(await shop.run(["retry", "clean", "--undo"])).toMatchObject({
      exitCode: 6,
      stderr:
        "segno: clean has ended: failed; there is nothing to undo; segno retry clean tries again what did not succeed\n",
    });
    const running = shop.start(["run", "party.yaml", "--id", "busy"]);
    await running.reports(/gate waits/u);
    expect(await shop.run(["retry", "busy", "--undo"])).toMatchObject({
      exitCode: 6,
      stderr: "segno: busy is running; undo is not possible now\n",
    });
    running.send("SIGTERM");
    await running.ended;
  });
});

describe("retry --undo of what was cancelled, or in another process", () => {
  it("FAIL-8 STATE-2 goes on for what was cancelled, where retry alone is refused and names it", async () => {
    const running = shop.start(["run", "party.yaml", "--id", "off"]);
    await running.reports(/gate waits/u);
    await shop.run(["cancel", "off", "--compensate", "--reason", "rain"]);
    const run = await running.ended;
    expect(run.stderr).toMatch(/1 of 1 could not be undone: `hall` \(.*\); to try again: segno retry off --undo\n/u);
    expect((await shop.run(["show", "off"])).stdout).toContain("to try again: segno retry off --undo\n");
    expect(await shop.run(["retry", "off"])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringMatching(
        /has ended: cancelled; there is nothing to retry; segno retry off --undo tries again what could not be undone\n/u,
      ),
    });
    await reopen();
    expect(await shop.run(["retry", "off", "--undo"])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "off")).toMatchObject({ status: "cancelled", reason: "rain" });
  });

  it("LEASE-5 FAIL-8 goes on in the process that owns the journal, or in the background", async () => {
    await shop.run(["run", "trip.yaml", "--id", "posted"]);
    await shop.run(["run", "trip.yaml", "--id", "behind"]);
    await reopen();
    const owner = shop.start(["work"]);
    await owner.reports(/nothing to do; waiting/u);
    expect(await shop.run(["retry", "posted", "--undo"])).toMatchObject({ exitCode: 0, stderr: "" });
    await owner.reports(/trip failed/u);
    owner.send("SIGTERM");
    await owner.ended;
    expect(await shop.json("show", "posted")).not.toHaveProperty("notUndone");
    expect(await shop.run(["retry", "behind", "--undo", "--detach"])).toMatchObject({ exitCode: 0, stderr: "" });
    await shop.run(["watch", "behind"]);
    expect(await shop.json("show", "behind")).not.toHaveProperty("notUndone");
  });
});
