// The engine is killed at each step of a landing, and the landing is repeated.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Oid } from "../../src/git/oid.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import { runPart, type Part } from "./task-parts.ts";

/** Each step starts a process. */
const LONG_MS = 600_000;

const programs = mkdtempSync(join(tmpdir(), "segno-killed-"));
/** The program in one piece: it starts for each step, and the search for its modules would take most of the time. */
const PROGRAM = join(programs, "killed-process.mjs");
let prepared: SampleRepository;

beforeAll(async () => {
  const source = fileURLToPath(new URL("killed-process.ts", import.meta.url));
  buildSync({ entryPoints: [source], outfile: PROGRAM, bundle: true, platform: "node", format: "esm" });
  prepared = await prepare();
});

afterAll(async () => {
  await prepared[Symbol.asyncDispose]();
  rmSync(programs, { recursive: true });
});

async function prepare(): Promise<SampleRepository> {
  const sample = new SampleRepository({ "a.txt": "one\n", "gone.txt": "gone\n" });
  const base = sample.git("rev-parse", "main") as Oid;
  sample.git("branch", "workflow/x", base);
  await sample.commitOn("task/x-t", base, { "a.txt": "two\n", "deep/new.txt": "new\n" });
  return sample;
}

/** Runs a part in a process that is killed at its n-th step. Returns whether it was killed. */
function isKilled(part: Part, { folder }: SampleRepository, n: number): boolean {
  const { signal, status, stderr } = spawnSync(process.execPath, [PROGRAM, part, folder, String(n)], {
    encoding: "utf8",
  });
  if (signal !== "SIGKILL" && status !== 0) throw new Error(stderr);
  return signal === "SIGKILL";
}

/** Repeats a part after a kill at each of its steps, and checks the repository each time. Returns the number of kills. */
async function killEverywhere(part: Part, check: (sample: SampleRepository, again: unknown) => void): Promise<number> {
  for (let n = 1; ; n++) {
    await using sample = new SampleRepository(prepared);
    const wasKilled = isKilled(part, sample, n);
    const { repository, objects } = await sample.open();
    check(sample, await runPart(part, repository, objects));
    if (!wasKilled) return n - 1;
  }
}

const length = (sample: SampleRepository, branch: string): string =>
  sample.git("rev-list", "--count", "--first-parent", branch);

describe("a landing after the engine was killed at any step", () => {
  it(
    "CODE-6 CODE-10 happens exactly once",
    async () => {
      const kills = await killEverywhere("land-on-workflow", (sample, again) => {
        expect(again).toMatchObject({ kind: "landed", commit: sample.git("rev-parse", "workflow/x") });
        expect(sample.git("rev-parse", "refs/segno/x/landed/t")).toBe(sample.git("rev-parse", "workflow/x"));
        expect(length(sample, "workflow/x")).toBe("2");
      });
      expect(kills).toBeGreaterThan(3);
    },
    LONG_MS,
  );

  it(
    "CODE-6 CODE-10 CODE-11 happens exactly once, and the user's folder follows",
    async () => {
      const kills = await killEverywhere("land-on-main", (sample, again) => {
        expect(again).toMatchObject({ kind: "landed", commit: sample.git("rev-parse", "main") });
        expect(length(sample, "main")).toBe("2");
        expect(sample.git("status", "--porcelain")).toBe("");
        expect(sample.git("cat-file", "-p", "HEAD:deep/new.txt")).toBe("new");
        expect(readdirSync(join(sample.folder, ".git")).filter((name) => /lock|segno-/u.test(name))).toEqual([]);
      });
      expect(kills).toBeGreaterThan(7);
    },
    LONG_MS,
  );

  it(
    "CODE-6 CODE-10 of a pull request happens exactly once",
    async () => {
      const kills = await killEverywhere("merge-pull-request", (sample, again) => {
        expect(again).toEqual({ kind: "merged", commit: sample.git("rev-parse", "workflow/x") });
        expect(length(sample, "workflow/x")).toBe("2");
      });
      expect(kills).toBeGreaterThan(3);
    },
    LONG_MS,
  );
});

describe("the user's folder after a crash while its files were written", () => {
  it("CODE-11 is finished if each file is that of the old or of the new commit", async () => {
    await using sample = new SampleRepository(prepared);
    landWithoutFiles(sample);
    sample.write({ "deep/new.txt": "new\n" });
    const { repository, objects } = await sample.open();
    await runPart("land-on-main", repository, objects);
    // The commit was there before, so this is not a landing for the watch.
    sample.watched.accept();
    expect(sample.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(sample.folder, "deep/new.txt"))).toBe(true);
  });

  it("CODE-11 is left as it is if the user has changed one of the files since", async () => {
    await using sample = new SampleRepository(prepared);
    landWithoutFiles(sample);
    sample.write({ "a.txt": "mine\n" });
    const before = sample.everything();
    const { repository, objects } = await sample.open();
    expect(await runPart("land-on-main", repository, objects)).toMatchObject({ kind: "landed", isNew: false });
    expect(sample.everything()).toEqual(before);
  });

  it("CODE-11 keeps changes of other files", async () => {
    await using sample = new SampleRepository(prepared);
    landWithoutFiles(sample);
    sample.write({ "gone.txt": "mine\n" });
    const { repository, objects } = await sample.open();
    await runPart("land-on-main", repository, objects);
    sample.watched.accept();
    expect(sample.git("status", "--porcelain")).toBe("M gone.txt");
  });
});

/** The state between the move of the branch and the first file. */
function landWithoutFiles(sample: SampleRepository): void {
  const tree = sample.git("rev-parse", "task/x-t^{tree}");
  const commit = sample.git("commit-tree", "-m", "land", "-p", "main", "-p", "task/x-t", tree);
  sample.git("update-ref", "refs/segno/x/landed/t", commit);
  sample.git("update-ref", "refs/heads/main", commit);
}

describe("a workspace after the engine was killed at any step", () => {
  it(
    "CODE-9 CODE-10 is made again, and no work of it is lost",
    async () => {
      const kills = await killEverywhere("work", (sample, again) => {
        expect(again).toMatchObject({ kind: "committed", commit: sample.git("rev-parse", "task/x-w") });
        expect(sample.git("cat-file", "-p", "task/x-w:w.txt")).toBe("work");
        expect(sample.git("worktree", "list").split("\n")).toHaveLength(1);
        expect(readdirSync(join(sample.folder, ".segno/worktrees/x"))).toEqual([".records"]);
      });
      expect(kills).toBeGreaterThan(8);
    },
    LONG_MS,
  );
});
