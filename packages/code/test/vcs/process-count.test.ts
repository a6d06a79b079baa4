import { describe, expect, it } from "vitest";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { SampleRepository } from "../git/sample-repository.ts";

describe("a task", () => {
  it("CODE-4 CODE-6 needs at most 14 git processes, from its workspace to its landing", async () => {
    await using sample = new SampleRepository();
    const { repository, objects } = await sample.open();
    const [workspaces, branches] = [new GitWorktrees(repository, objects), new GitBranches(repository, objects)];
    const base = await branches.createBranch("workflow/x", "main");
    const { git } = repository;
    const before = git.processCount;
    const { path } = await workspaces.createWorkspace({ workspaceId: "x/t", branch: "task/x-t", base });
    sample.write({ "b.txt": "new\n" }, path);
    const texts = { message: "work", atMs: 0 };
    const committed = await workspaces.commitChanges("x/t", { since: base, ...texts });
    if (committed.kind !== "committed") throw new Error(committed.kind);
    const marker = { workflowId: "x", name: "t" };
    const source = { source: "task/x-t", sourceHead: committed.commit };
    await branches.mergeBranch({ ...source, target: "workflow/x", marker, isSquashed: false, ...texts });
    await workspaces.destroyWorkspace("x/t");
    await branches.deleteBranch("task/x-t", committed.commit, marker);
    expect(git.processCount - before).toBeLessThanOrEqual(14);
  });
});
