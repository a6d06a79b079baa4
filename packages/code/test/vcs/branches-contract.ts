// What every version control promises about branches and merges.

import { describe, expect, it } from "vitest";
import type { Branches, BranchMergeOutcome, CheckResult, MergeBranchRequest } from "../../src/vcs/branches.ts";

/** Branches of a repository whose `main` has `a.txt` with `one`, and how a test looks into it. */
export interface BranchesSubject extends AsyncDisposable {
  readonly branches: Branches;
  /** Commits changed files on a new branch that starts at another branch, and returns its head. */
  commitOn(branch: string, from: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Moves a branch by a commit that changes no file. */
  commitNothing(branch: string): Promise<void>;
  fileAt(commit: string, path: string): string | undefined;
  parents(commit: string): readonly string[];
  /** The number of commits of a branch, along first parents. */
  length(branch: string): number;
}

const PASSED: CheckResult = { kind: "passed" };

async function task(
  subject: BranchesSubject,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<MergeBranchRequest> {
  await subject.branches.createBranch("workflow/x", "main");
  return {
    source: `task/x-${name}`,
    sourceHead: await subject.commitOn(`task/x-${name}`, "main", files),
    target: "workflow/x",
    marker: { workflowId: "x", name },
    isSquashed: false,
    message: `merge ${name}`,
    atMs: 1_000_000,
  };
}

function landedCommit(outcome: BranchMergeOutcome): string {
  if (outcome.kind !== "landed") throw new Error(`the outcome is ${outcome.kind}`);
  return outcome.commit;
}

export function describeBranches(name: string, open: () => Promise<BranchesSubject>): void {
  describe(`branches (${name})`, () => describeNames(open));
  describe(`a merge (${name})`, () => describeMerges(open));
  describe(`a merge that does not land (${name})`, () => describeFailures(open));
}

function describeNames(open: () => Promise<BranchesSubject>): void {
  it("CODE-3 are created once, from a branch or a commit", async () => {
    await using subject = await open();
    const { branches } = subject;
    const { head: main } = await branches.getBranchStatus("main");
    expect(await branches.createBranch("workflow/x", "main")).toBe(main);
    const other = await subject.commitOn("other", "main", { "b.txt": "b\n" });
    expect(await branches.createBranch("workflow/x", "other")).toBe(main);
    expect(await branches.createBranch("workflow/y", other)).toBe(other);
    expect(await branches.getBranchStatus("workflow/y")).toEqual({ name: "workflow/y", head: other });
    expect(await branches.getBranchStatus("workflow/z")).toEqual({ name: "workflow/z", head: undefined });
  });

  it("CODE-9 are deleted only after they landed, and only at the head that landed", async () => {
    await using subject = await open();
    const { branches } = subject;
    const request = await task(subject, "a", { "b.txt": "b\n" });
    const { source, sourceHead, marker } = request;
    await expect(branches.deleteBranch(source, sourceHead, marker)).rejects.toMatchObject({
      code: "BRANCH_NOT_LANDED",
    });
    await branches.mergeBranch(request);
    const main = (await branches.getBranchStatus("main")).head!;
    await expect(branches.deleteBranch(source, main, marker)).rejects.toMatchObject({ code: "BRANCH_NOT_LANDED" });
    await branches.deleteBranch(source, sourceHead, marker);
    await branches.deleteBranch(source, sourceHead, marker);
    expect((await branches.getBranchStatus(source)).head).toBeUndefined();
    expect(await branches.mergeBranch(request)).toMatchObject({ kind: "landed", isNew: false });
  });

  it("CODE-3 CODE-9 are deleted without a landing if the workflow has all their commits", async () => {
    await using subject = await open();
    const { branches } = subject;
    const { source, sourceHead, marker } = await task(subject, "a", { "b.txt": "b\n" });
    const empty = await branches.createBranch("task/x-empty", "workflow/x");
    await branches.deleteBranch("task/x-empty", empty, { ...marker, name: "empty" });
    expect((await branches.getBranchStatus("task/x-empty")).head).toBeUndefined();
    for (const [name, head] of [[source, sourceHead] as const, ["workflow/x", empty] as const])
      await expect(branches.deleteBranch(name, head, marker)).rejects.toMatchObject({ code: "BRANCH_NOT_LANDED" });
  });

  it("CODE-7 are compared without a merge; a missing one is an error and not a conflict", async () => {
    await using subject = await open();
    const { branches } = subject;
    await subject.commitOn("left", "main", { "a.txt": "left\n" });
    await subject.commitOn("right", "main", { "a.txt": "right\n" });
    expect(await branches.hasConflicts("left", "main")).toBe(false);
    expect(await branches.getConflicts("left", "main")).toEqual({ files: [] });
    expect(await branches.hasConflicts("left", "right")).toBe(true);
    expect((await branches.getConflicts("left", "right")).files).toMatchObject([{ path: "a.txt" }]);
    for (const [source, target] of [
      ["none", "main"],
      ["main", "none"],
    ] as const)
      await expect(branches.hasConflicts(source, target)).rejects.toMatchObject({ code: "BRANCH_MISSING" });
  });
}

function describeMerges(open: () => Promise<BranchesSubject>): void {
  it.each([false, true])("CODE-6 lands exactly once when it is repeated (squashed: %s)", async (isSquashed) => {
    await using subject = await open();
    const { branches } = subject;
    const request = { ...(await task(subject, "a", { "b.txt": "b\n" })), isSquashed };
    const base = (await branches.getBranchStatus("workflow/x")).head!;
    const first = await branches.mergeBranch(request);
    const commit = landedCommit(first);
    expect(first).toEqual({ kind: "landed", commit, isNew: true });
    const check = async (): Promise<CheckResult> => expect.fail("it is checked again");
    expect(await branches.mergeBranch({ ...request, check })).toEqual({ kind: "landed", commit, isNew: false });
    expect((await branches.getBranchStatus("workflow/x")).head).toBe(commit);
    expect(subject.parents(commit)).toEqual(isSquashed ? [base] : [base, request.sourceHead]);
    expect([subject.fileAt(commit, "b.txt"), subject.length("workflow/x")]).toEqual(["b\n", 2]);
  });

  it("CODE-5 lands the commit that was checked", async () => {
    await using subject = await open();
    const checked: string[] = [];
    const outcome = await subject.branches.mergeBranch({
      ...(await task(subject, "a", { "b.txt": "b\n" })),
      check: async ({ commit }) => {
        checked.push(commit);
        return PASSED;
      },
    });
    expect(checked).toEqual([landedCommit(outcome)]);
  });

  it("CODE-5 is merged and checked again if another landing comes first", async () => {
    await using subject = await open();
    const { branches } = subject;
    const [one, two] = [await task(subject, "a", { "a2.txt": "a\n" }), await task(subject, "b", { "b.txt": "b\n" })];
    const onto: string[] = [];
    const outcome = await branches.mergeBranch({
      ...one,
      check: async (merged) => {
        onto.push(merged.onto);
        if (onto.length === 1) await branches.mergeBranch(two);
        return PASSED;
      },
    });
    expect(new Set(onto).size).toBe(2);
    const commit = landedCommit(outcome);
    expect([subject.fileAt(commit, "a2.txt"), subject.fileAt(commit, "b.txt")]).toEqual(["a\n", "b\n"]);
    expect(subject.length("workflow/x")).toBe(3);
  });

  it("CODE-5 is not checked again if its files are the same on the new head", async () => {
    await using subject = await open();
    let checks = 0;
    const outcome = await subject.branches.mergeBranch({
      ...(await task(subject, "a", { "b.txt": "b\n" })),
      check: async () => {
        if (++checks === 1) await subject.commitNothing("workflow/x");
        return PASSED;
      },
    });
    expect([outcome.kind, checks]).toEqual(["landed", 1]);
  });
}

function describeFailures(open: () => Promise<BranchesSubject>): void {
  it("CODE-7 for a conflict gives a commit of both sides with conflict markers", async () => {
    await using subject = await open();
    const { branches } = subject;
    const [one, two] = [
      await task(subject, "a", { "a.txt": "left\n" }),
      await task(subject, "b", { "a.txt": "right\n" }),
    ];
    const onto = landedCommit(await branches.mergeBranch(one));
    const outcome = await branches.mergeBranch(two);
    if (outcome.kind !== "conflict") throw new Error(outcome.kind);
    expect(outcome).toMatchObject({ onto, conflicts: { files: [{ path: "a.txt" }] } });
    expect(subject.parents(outcome.commit)).toEqual([two.sourceHead, onto]);
    expect(subject.fileAt(outcome.commit, "a.txt")).toMatch(/<<<<<<< .*\nleft\n=======\nright\n>>>>>>> /u);
    expect((await branches.getBranchStatus("workflow/x")).head).toBe(onto);
    expect(await branches.mergeBranch(two)).toEqual(outcome);
  });

  it.each(["failed", "base-broken"] as const)("CODE-7 after a check that is %s changes nothing", async (kind) => {
    await using subject = await open();
    const { branches } = subject;
    const request = await task(subject, "a", { "b.txt": "b\n" });
    const onto = (await branches.getBranchStatus("workflow/x")).head!;
    const check = async (): Promise<CheckResult> => ({ kind, command: "npm test", log: "1 failed" });
    expect(await branches.mergeBranch({ ...request, check })).toMatchObject({
      kind: kind === "failed" ? "check-failed" : kind,
      onto,
      command: "npm test",
      log: "1 failed",
    });
    expect((await branches.getBranchStatus("workflow/x")).head).toBe(onto);
    expect(await branches.mergeBranch(request)).toMatchObject({ kind: "landed", isNew: true });
  });

  it("CODE-5 because its source has moved changes nothing", async () => {
    await using subject = await open();
    const { branches } = subject;
    const request = await task(subject, "a", { "b.txt": "b\n" });
    await subject.commitNothing(request.source);
    expect(await branches.mergeBranch(request)).toEqual({ kind: "source-moved" });
    expect(subject.length("workflow/x")).toBe(1);
  });

  it("CODE-5 because its source moves during the check changes nothing", async () => {
    await using subject = await open();
    const request = await task(subject, "a", { "b.txt": "b\n" });
    const check = async (): Promise<CheckResult> => {
      await subject.commitNothing(request.source);
      return PASSED;
    };
    expect(await subject.branches.mergeBranch({ ...request, check })).toEqual({ kind: "source-moved" });
    expect(subject.length("workflow/x")).toBe(1);
  });

  it("CODE-7 because a branch is missing is an error and not a conflict", async () => {
    await using subject = await open();
    const request = await task(subject, "a", { "b.txt": "b\n" });
    for (const wrong of [{ source: "task/x-none" }, { target: "workflow/none" }])
      await expect(subject.branches.mergeBranch({ ...request, ...wrong })).rejects.toMatchObject({
        code: "BRANCH_MISSING",
      });
  });
}
