// The examples in TSDoc comments are whole programs: they compile, they run, and they print the lines in their comments.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { apiExamples, printedLines } from "./api-examples.ts";
import { ROOT } from "./repository.ts";
import { runNode, runTool } from "./tool.ts";

const examples = apiExamples();

describe("the examples of the API", () => {
  let folder = "";

  beforeAll(async () => {
    // Below the root, where programs find the packages, and in a folder that no other check reads.
    await mkdir(join(ROOT, ".segno"), { recursive: true });
    folder = await mkdtemp(join(ROOT, ".segno", "api-examples-"));
    await Promise.all(examples.map(({ of, source }) => writeFile(join(folder, `${of}.ts`), source)));
    const config = { extends: "../../tsconfig.tests.json", include: ["*.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("are several", () => {
    expect(examples.length).toBeGreaterThan(20);
  });

  it("compile", async () => {
    const run = await runTool("tsc", ["-p", folder]);
    expect(run.stdout + run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
  });

  it.each(examples.map((example) => [example.of, example] as const))("%s prints its comments", async (of, example) => {
    expect(example.prints).not.toBe("");
    const run = await runNode([`${of}.ts`], { folder });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout).toBe(example.prints);
  });
});

describe("the convention for examples", () => {
  it("takes the comment behind a call of console.log, and no other comment", () => {
    const source =
      '// first\nconst url = "https://x"; // second\nconsole.log(url); // https://x\n  console.log(2) // 2\n';
    expect(printedLines(source)).toBe("https://x\n2\n");
  });
});
