// `rm`, and `retry --tolerated`.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

const NIGHTLY = `
name: nightly
steps:
  - id: all
    map:
      over: "['a', 'b', 'c']"
      tolerance: 1
      steps:
        - { id: one, run: 'echo "$ITEM" >> runs.txt; test "$ITEM" != b || test -e repaired.txt', env: { ITEM: "\${ item }" }, retry: 1 }
  - { id: report, run: 'wc -l < runs.txt', dependsOn: [all] }
output: "\${ steps.report.output.stdout }"
`;

async function ids(): Promise<readonly string[]> {
  return (await shop.json<Listing>("list")).executions.map(({ id }) => id);
}

describe("rm", () => {
  it("removes executions by their ids and by the filters of a list, and nothing else", async () => {
    for (const id of ["one", "two", "three"]) await shop.run(["run", "quick.yaml", "--id", id, "--label", `nr=${id}`]);
    expect(await shop.run(["rm", "one", "one", "--yes"])).toMatchObject({
      exitCode: 0,
      stdout: "1 execution removed\n",
    });
    expect(await ids()).toEqual(["three", "two"]);
    expect(await shop.json("rm", "--label", "nr=two", "--yes")).toEqual({
      schemaVersion: 1,
      ok: true,
      removed: ["two"],
    });
    expect(await ids()).toEqual(["three"]);
    const none = await shop.run(["rm", "--text", "no such text", "--yes"]);
    expect(none).toMatchObject({ exitCode: 0, stdout: "0 executions removed\n" });
    expect(await shop.run(["show", "one"])).toMatchObject({ exitCode: 5 });
    expect(await shop.run(["rm", "nobody", "--yes"])).toMatchObject({ exitCode: 5 });
  });

  it("asks first, and removes nothing if nobody can be asked, without a choice or with two", async () => {
    await shop.run(["run", "quick.yaml", "--id", "asked"]);
    const unasked = await shop.run(["rm", "asked"]);
    expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--yes removes at once") });
    expect(await shop.run(["rm", "--yes"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a filter") });
    const both = await shop.run(["rm", "asked", "--status", "completed", "--yes"]);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cannot be used together") });
    expect(await ids()).toContain("asked");
  });

  it("EXECUTION_UNFINISHED ENGINE_NOT_OWNER refuses executions that run, and says what to do", async () => {
    const running = shop.start(["run", "endless.yaml", "--id", "busy"]);
    await running.reports(/gate waits/u);
    const beside = await shop.run(["rm", "busy", "--yes"]);
    expect(beside).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("ENGINE_NOT_OWNER") });
    expect(beside.stderr).toContain("only the owner can remove executions; end that process first");
    running.send("SIGQUIT");
    await running.ended;
    const refused = await shop.run(["rm", "busy", "--yes"]);
    expect(refused).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("EXECUTION_UNFINISHED busy has not ended"),
    });
    const filtered = await shop.run(["rm", "--since", "1h", "--yes"]);
    expect(filtered).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("nothing was removed") });
    expect(await ids()).toContain("asked");
    await shop.run(["cancel", "busy"]);
    expect(await shop.run(["rm", "busy", "--yes"])).toMatchObject({ exitCode: 0 });
  });
});

describe("retry --tolerated", () => {
  it("STATE-2 runs the failed items again alone, and the steps that depend on them", async () => {
    await writeFile(shop.path("nightly.yaml"), NIGHTLY);
    const first = await shop.run(["run", "nightly.yaml", "--id", "night"]);
    expect(first).toMatchObject({ exitCode: 0, stdout: '"3"\n' });
    expect(first.stderr).toMatch(/nightly completed in \S+: 2 succeeded, 1 of 3 items failed\n/u);
    expect(first.stderr).toContain("next: segno retry night --tolerated\n");
    expect((await shop.run(["list", "--workflow", "nightly"])).stdout).toMatch(
      /completed +2\/2 +\S+ {2}1 tolerated\n/u,
    );
    const plain = await shop.run(["retry", "night"]);
    expect(plain).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("retry night --tolerated runs the") });
    await writeFile(shop.path("repaired.txt"), "");
    const again = await shop.run(["retry", "night", "--tolerated"]);
    expect(again).toMatchObject({ exitCode: 0, stdout: '"4"\n' });
    expect(again.stderr).toContain("round 2: retrying the failures that were tolerated\n");
    expect(await shop.run(["retry", "night", "--tolerated"])).toMatchObject({ exitCode: 6 });
    const both = await shop.run(["retry", "night", "--tolerated", "--undo"]);
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cannot be used together") });
  });
});
