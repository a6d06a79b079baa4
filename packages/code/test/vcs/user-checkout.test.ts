// Landings on a branch that is checked out in the user's folder.

import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BranchMergeOutcome } from "../../src/vcs/branches.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import { openGitVcs, type GitVcsSubject } from "./git-vcs-subject.ts";

const FILES = { "a.txt": "one\n", "gone.txt": "gone\n", "kept.txt": "kept\n" };

async function landOnMain(
  subject: GitVcsSubject,
  files: Readonly<Record<string, string>> = { "a.txt": "two\n", "new.txt": "new\n" },
): Promise<BranchMergeOutcome> {
  const { branches } = subject;
  const status = await branches.getBranchStatus("workflow/x");
  const sourceHead = status.head ?? (await subject.commitOn("workflow/x", "main", files));
  const marker = { workflowId: "x", name: "workflow" };
  const texts = { isSquashed: false, message: "land x", atMs: 1_000_000 };
  return await branches.mergeBranch({ source: "workflow/x", sourceHead, target: "main", marker, ...texts });
}

describe("a landing on the branch that the user has checked out", () => {
  it("CODE-11 moves a clean folder with its branch", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    sample.write({ "untracked.txt": "mine\n" });
    const outcome = await landOnMain(subject);
    expect(outcome).toMatchObject({ kind: "landed", isNew: true });
    expect(sample.git("status", "--porcelain")).toBe("?? untracked.txt");
    expect(sample.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(readFileSync(join(sample.folder, "a.txt"), "utf8")).toBe("two\n");
    expect(readFileSync(join(sample.folder, "new.txt"), "utf8")).toBe("new\n");
    expect(await landOnMain(subject)).toEqual({ ...outcome, isNew: false });
  });

  it("CODE-11 moves a linked worktree of the user, too", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    sample.git("checkout", "--quiet", "-b", "elsewhere");
    const linked = join(sample.root, "linked");
    sample.git("worktree", "add", "--quiet", linked, "main");
    const before = sample.everything();
    expect(await landOnMain(subject)).toMatchObject({ kind: "landed", isNew: true });
    expect(sample.gitIn(linked, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(linked, "new.txt"), "utf8")).toBe("new\n");
    expect(sample.everything()).toEqual(before);
  });

  it("CODE-11 does not touch a folder with another branch", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    sample.git("checkout", "--quiet", "-b", "elsewhere");
    sample.write({ "a.txt": "dirty\n" });
    const before = sample.everything();
    expect(await landOnMain(subject)).toMatchObject({ kind: "landed", isNew: true });
    expect(sample.everything()).toEqual(before);
  });
});

type Disturbance = (sample: SampleRepository) => void;

const DISTURBANCES: readonly (readonly [name: string, reason: RegExp, disturb: Disturbance])[] = [
  ["a changed file", /kept\.txt/u, (sample) => sample.write({ "kept.txt": "dirty\n" })],
  ["a deleted file", /kept\.txt/u, (sample) => sample.remove("kept.txt")],
  [
    "a staged change",
    /staged/u,
    (sample) => {
      sample.write({ "kept.txt": "dirty\n" });
      sample.git("add", "kept.txt");
    },
  ],
  ["an untracked file in the way", /new\.txt/u, (sample) => sample.write({ "new.txt": "mine\n" })],
  [
    "an ignored file in the way",
    /new\.txt/u,
    (sample) => sample.write({ "new.txt": "mine\n", ".git/info/exclude": "new.txt\n" }),
  ],
  [
    "a change that the index hides",
    /kept\.txt/u,
    (sample) => {
      sample.git("update-index", "--assume-unchanged", "kept.txt");
      sample.write({ "kept.txt": "dirty\n" });
    },
  ],
  [
    "a file that is not checked out",
    /kept\.txt/u,
    (sample) => {
      sample.git("update-index", "--skip-worktree", "kept.txt");
    },
  ],
  ["an unfinished merge", /MERGE_HEAD/u, (sample) => sample.write({ ".git/MERGE_HEAD": "" })],
  ["a lock of git", /index\.lock/u, (sample) => sample.write({ ".git/index.lock": "" })],
  ["converted line ends", /autocrlf/u, (sample) => void sample.git("config", "core.autocrlf", "true")],
  ["a filter", /filter/u, (sample) => sample.write({ ".git/info/attributes": "*.bin filter=lfs -text\n" })],
  ["a sparse checkout", /sparse/iu, (sample) => void sample.git("config", "core.sparseCheckout", "true")],
];

describe("a landing on a branch whose folder is in use", () => {
  it.each(DISTURBANCES)("CODE-11 waits for %s and changes nothing", async (_, reason, disturb) => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    await subject.commitOn("workflow/x", "main", { "a.txt": "two\n", "new.txt": "new\n" });
    disturb(sample);
    const before = sample.everything();
    const outcome = await landOnMain(subject);
    if (outcome.kind !== "checkout-blocked") throw new Error(outcome.kind);
    expect(outcome.reason).toMatch(reason);
    expect(outcome.reason).toContain(sample.folder);
    expect(sample.everything()).toEqual(before);
    expect((await subject.branches.getBranchStatus("main")).head).toBe(sample.git("rev-parse", "HEAD"));
  });

  it("CODE-11 sees a change that was made in the second in which the index was written", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    await subject.commitOn("workflow/x", "main", { "a.txt": "two\n" });
    const [index, file] = [join(sample.folder, ".git/index"), join(sample.folder, "a.txt")];
    utimesSync(file, 1_000_000, 1_000_000);
    sample.git("update-index", "--refresh");
    sample.write({ "a.txt": "six\n" });
    for (const path of [file, index]) utimesSync(path, 1_000_000, 1_000_000);
    expect(await landOnMain(subject)).toMatchObject({ kind: "checkout-blocked" });
    expect(readFileSync(file, "utf8")).toBe("six\n");
  });

  it("CODE-11 waits if the branch to land has a filter", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const before = subject.sample.everything();
    const files = { ".gitattributes": "*.txt filter=evil\n" };
    expect(await landOnMain(subject, files)).toMatchObject({ kind: "checkout-blocked" });
    expect(subject.sample.everything()).toEqual(before);
  });

  it("CODE-11 waits while the user rebases the branch", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    await subject.commitOn("other", "main", { "a.txt": "other\n" });
    sample.commit({ "a.txt": "mine\n" });
    expect(() => sample.git("rebase", "other")).toThrow();
    const before = sample.everything();
    const outcome = await landOnMain(subject, { "new.txt": "new\n" });
    expect(outcome).toMatchObject({ kind: "checkout-blocked", reason: expect.stringContaining("rebase") as string });
    expect(sample.everything()).toEqual(before);
  });

  it("CODE-11 lands when the folder is clean again", async () => {
    await using subject = await openGitVcs(new SampleRepository(FILES));
    const { sample } = subject;
    sample.write({ "kept.txt": "dirty\n" });
    expect(await landOnMain(subject)).toMatchObject({ kind: "checkout-blocked" });
    sample.git("checkout", "--quiet", "--", "kept.txt");
    expect(await landOnMain(subject)).toMatchObject({ kind: "landed", isNew: true });
    expect(sample.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(sample.folder, ".git/index.lock"))).toBe(false);
    expect(statSync(join(sample.folder, "new.txt")).size).toBe(4);
  });
});
