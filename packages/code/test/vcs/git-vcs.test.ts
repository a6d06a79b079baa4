import { describe, expect, it } from "vitest";
import { describeBranches } from "./branches-contract.ts";
import type { CheckResult, MergedCommit } from "../../src/vcs/branches.ts";
import { openGitVcs, type GitVcsSubject } from "./git-vcs-subject.ts";
import { describePullRequests } from "./pull-requests-contract.ts";

describeBranches("git", () => openGitVcs());
describePullRequests("git", () => openGitVcs());

describe("a branch of git", () => {
  it("CODE-3 is refused as a workflow branch if a folder of the user has it checked out", async () => {
    await using subject = await openGitVcs();
    subject.sample.git("checkout", "--quiet", "-b", "workflow/x");
    await expect(subject.branches.createBranch("workflow/x", "main")).rejects.toMatchObject({
      code: "BRANCH_CHECKED_OUT",
    });
  });

  it("CODE-5 is shown as a patch against the branch it goes to", async () => {
    await using subject = await openGitVcs();
    await subject.commitOn("task/x-a", "main", { "a.txt": "two\n" });
    subject.sample.commit({ "other.txt": "on main\n" });
    const patch = await subject.pullRequests.diff("task/x-a", "main");
    expect(patch).toContain("-one\n+two");
    expect(patch).not.toContain("other.txt");
  });
});

describe("two engines on one repository", () => {
  it("CODE-5 CODE-6 both land all their work; the one that loses merges and checks again", async () => {
    await using one = await openGitVcs();
    const { sample } = one;
    await using other = await openGitVcs(sample);
    await one.branches.createBranch("workflow/x", "main");
    const checked: string[] = [];
    const landAll = async ({ branches }: GitVcsSubject, engine: string): Promise<readonly string[]> => {
      const commits: string[] = [];
      for (const task of [1, 2, 3].map((n) => `${engine}${n}`)) {
        const source = `task/x-${task}`;
        const sourceHead = (await branches.getBranchStatus(source)).head!;
        const marker = { workflowId: engine, name: task };
        const texts = { isSquashed: false, message: task, atMs: 0 };
        const check = async ({ commit }: MergedCommit): Promise<CheckResult> => {
          checked.push(commit);
          return { kind: "passed" };
        };
        const outcome = await branches.mergeBranch({
          source,
          sourceHead,
          target: "workflow/x",
          marker,
          ...texts,
          check,
        });
        if (outcome.kind === "landed") commits.push(outcome.commit);
      }
      return commits;
    };
    for (const task of ["a1", "a2", "a3", "b1", "b2", "b3"])
      await one.commitOn(`task/x-${task}`, "main", { [`${task}.txt`]: task });
    const landed = (await Promise.all([landAll(one, "a"), landAll(other, "b")])).flat();
    const history = sample.git("rev-list", "--first-parent", "workflow/x").split("\n");
    expect(history.slice(0, -1).toSorted()).toEqual(landed.toSorted());
    expect(checked).toEqual(expect.arrayContaining(landed));
    expect(sample.git("ls-tree", "--name-only", "workflow/x").split("\n")).toHaveLength(7);
  });
});
