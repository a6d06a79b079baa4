// `segno init --typescript`: a project whose workflow runs and whose test passes, as it stands.

import { execFile } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { runSegno, type SegnoRun } from "./run-segno.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

let folder = "";
const path = (name: string): string => join(folder, name);
const segno = (...words: readonly string[]): Promise<SegnoRun> => runSegno(words, { folder });

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "segno-project-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("init --typescript", () => {
  it("writes a project whose test passes and whose workflow is valid and runs", async () => {
    const init = await segno("init", "--typescript", "--yes", "--name", "greeting");
    expect(init).toMatchObject({ exitCode: 0, stderr: "" });
    expect(init.stdout).toContain("npm install && npm test\n");
    expect(init.stdout).toContain("npx segno run src/workflow.ts");
    expect(readFileSync(path(".gitignore"), "utf8")).toBe("node_modules/\n.segno/\n");
    // As `npm install` would do.
    symlinkSync(join(ROOT, "node_modules"), path("node_modules"));
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, "run"], {
      cwd: folder,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toMatch(/Tests\s+1 passed/u);
    expect(await segno("validate", "src/workflow.ts")).toMatchObject({ exitCode: 0, stderr: "" });
    const run = await segno("run", "src/workflow.ts", "--quiet");
    expect(JSON.parse(run.stdout), run.stderr).toEqual({ text: "HELLO, WORLD!", letters: 12 });
  });

  it("names the versions of this repository", async () => {
    await segno("init", "--typescript", "--yes");
    const { dependencies, devDependencies } = manifest(path("package.json"));
    const known = manifest(join(ROOT, "package.json")).devDependencies!;
    expect(dependencies).toEqual({ segno: `^${manifest(join(ROOT, "packages/segno/package.json")).version}` });
    for (const [name, version] of Object.entries(devDependencies!)) expect(version).toBe(`^${known[name]}`);
  });

  it("FILE_EXISTS writes nothing if one of its files is there already", async () => {
    writeFileSync(path("tsconfig.json"), "{}");
    expect(await segno("init", "--typescript", "--yes")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("FILE_EXISTS"),
    });
    expect([existsSync(path("src")), existsSync(path("package.json"))]).toEqual([false, false]);
  });

  it("refuses another template beside it", async () => {
    const run = await segno("init", "--typescript", "--template", "map", "--yes");
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("exclude each other") });
  });
});
