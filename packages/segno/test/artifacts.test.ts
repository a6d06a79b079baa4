// `segno artifact`, and artifacts in `show`, `db check` and `retention` (DATA-13).

import { existsSync } from "node:fs";
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const BUILD = `
name: build
steps:
  - { id: make, run: "mkdir -p dist; printf app > dist/app.tgz; printf notes > dist/notes.txt", artifacts: [dist] }
  - { id: plain, run: "true" }
  - { id: check, run: 'cat "$SEGNO_ARTIFACTS/make/dist/notes.txt"', dependsOn: [make] }
output: \${ steps.check.output.stdout }
`;
const APP = "a172cedcae47474b615c54d510a5d84a8dea3032e958587430b413538be3f333";

const readLines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("build.yaml"), BUILD);
  const run = await shop.run(["run", "build.yaml", "--id", "b1"]);
  expect(run, run.stderr).toMatchObject({ exitCode: 0, stdout: '"notes"\n' });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("DATA-13 segno artifact", () => {
  it("lists the files of an execution, or of a step", async () => {
    const { stdout } = await shop.run(["artifact", "b1"]);
    expect(readLines(stdout)).toEqual([
      "make  dist/app.tgz    3 bytes  a172cedcae47",
      expect.stringMatching(/^make {2}dist\/notes\.txt {2}5 bytes {2}[0-9a-f]{12}$/u),
    ]);
    expect((await shop.run(["artifact", "b1", "plain"])).stdout).toBe("`plain` has no artifacts\n");
    expect(await shop.json("artifact", "@last", "make")).toMatchObject({
      id: "b1",
      artifacts: [{ step: "make", path: "dist/app.tgz", hash: APP, bytes: 3 }, { path: "dist/notes.txt" }],
    });
  });

  it("copies a file to a file or into a folder, and replaces none", async () => {
    const copied = await shop.run(["artifact", "b1", "make", "dist/app.tgz", "--to", "fetched.tgz"]);
    expect(copied, copied.stderr).toMatchObject({ exitCode: 0, stdout: "fetched.tgz\n" });
    expect(await readFile(shop.path("fetched.tgz"), "utf8")).toBe("app");
    await shop.run(["artifact", "b1", "make", "dist/notes.txt", "--to", "."]);
    expect(await readFile(shop.path("notes.txt"), "utf8")).toBe("notes");
    const again = await shop.run(["artifact", "b1", "make", "dist/app.tgz", "--to", "fetched.tgz"]);
    expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("FILE_EXISTS") });
  });

  it.each([
    [["b1", "mak"], 5, "did you mean `make`?"],
    [["b1", "make", "dist/none", "--to", "x"], 5, "ARTIFACT_NOT_FOUND"],
    [["b1", "make", "dist/app.tgz", "--to", "no/such/folder/x"], 3, "FILE_UNWRITABLE"],
    [["b1", "make", "dist/app.tgz"], 2, "a path needs --to"],
    [["b1", "make", "--to", "x"], 2, "--to needs a step and a path"],
    [["none"], 5, "EXECUTION_UNKNOWN"],
  ])("refuses %j", async (words, exitCode, text) => {
    const run = await shop.run(["artifact", ...words]);
    expect(run, run.stderr).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(text) });
    expect(existsSync(shop.path("x"))).toBe(false);
  });
});

describe("DATA-13 segno show", () => {
  it("says how many artifacts an execution has, and lists those of a step", async () => {
    expect((await shop.run(["show", "b1"])).stdout).toContain("artifacts\n2 files, 8 bytes: segno artifact b1\n");
    const step = readLines((await shop.run(["show", "b1", "make"])).stdout);
    expect(step).toContain("  make  dist/app.tgz    3 bytes  a172cedcae47");
    expect(step).toContain("to copy one: segno artifact b1 make dist/app.tgz --to .");
    expect(await shop.json("show", "b1", "make")).toMatchObject({ step: { artifacts: [{ hash: APP }, {}] } });
    expect(await shop.json("show", "b1")).toMatchObject({ artifacts: [{ step: "make", hash: APP }, {}] });
  });
});

describe("DATA-13 segno db check", () => {
  it("ARTIFACT_DAMAGED finds a file that was changed or removed, and so does a copy", async () => {
    await shop.run(["run", "build.yaml", "--id", "b2", "--db", "other.db"]);
    const check = (): ReturnType<CommandFixture["run"]> => shop.run(["db", "check", "--db", "other.db"]);
    expect(await check()).toMatchObject({ exitCode: 0 });
    const folder = shop.path("other.db-artifacts");
    const path = (await readdir(folder, { recursive: true })).find((each) => each.endsWith(APP))!;
    const file = join(folder, path);
    await chmod(file, 0o600);
    await writeFile(file, "bad");
    const changed = await check();
    expect(changed).toMatchObject({ exitCode: 1 });
    expect(changed.stdout + changed.stderr).toContain("ARTIFACT_DAMAGED");
    const copy = ["artifact", "b2", "make", "dist/app.tgz", "--to", "y", "--db", "other.db"];
    expect(await shop.run(copy)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has changed") });
    await rm(file);
    expect(await shop.run(copy)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("does not exist") });
  });
});
