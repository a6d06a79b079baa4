import { describe, expect, it } from "vitest";
import { describeBranches } from "./branches-contract.ts";
import { openGitVcs } from "./git-vcs-subject.ts";
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
