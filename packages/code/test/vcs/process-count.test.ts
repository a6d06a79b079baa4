import { describe, expect, it } from "vitest";
import type { Git } from "../../src/git/git.ts";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { SampleRepository } from "../git/sample-repository.ts";

interface Parts {
  readonly sample: SampleRepository;
  readonly workspaces: GitWorktrees;
  readonly branches: GitBranches;
}

/** Everything that the steps of a task ask of git, from the workspace to the removal of the branch. */
async function runTask({ sample, workspaces, branches }: Parts, task: string): Promise<void> {
  const [workspaceId, branch] = [`x/${task}`, `task/x-${task}`];
  const { head: base } = await branches.getBranchStatus("workflow/x");
  const { path } = await workspaces.createWorkspace({ workspaceId, branch, base: base! });
  sample.write({ [`${task}.txt`]: "new\n" }, path);
  const texts = { message: "work", atMs: 0 };
  const committed = await workspaces.commitChanges(workspaceId, { since: base!, ...texts });
  if (committed.kind !== "committed") throw new Error(committed.kind);
  const marker = { workflowId: "x", name: task };
  const source = { source: branch, sourceHead: committed.commit };
  await branches.mergeBranch({ ...source, target: "workflow/x", marker, isSquashed: false, ...texts });
  const { head } = await branches.getBranchStatus(branch);
  await workspaces.destroyWorkspace(workspaceId);
  await branches.deleteBranch(branch, head!, marker);
}

function recordCommands(git: Git): (readonly string[])[] {
  const commands: (readonly string[])[] = [];
  const start = git.start.bind(git);
  git.start = (args, options) => {
    commands.push(args);
    return start(args, options);
  };
  return commands;
}

describe("a task", () => {
  it("CODE-4 CODE-6 needs 12 git processes from its workspace to its landing, besides those that stay", async () => {
    await using sample = new SampleRepository();
    const { repository, objects } = await sample.open();
    const [workspaces, branches] = [new GitWorktrees(repository, objects), new GitBranches(repository, objects)];
    sample.git("branch", "workflow/x");
    const commands = recordCommands(repository.git);
    const counts: number[] = [];
    for (const task of ["one", "two", "three"]) {
      await runTask({ sample, workspaces, branches }, task);
      counts.push(commands.splice(0).filter((args) => !args.includes("--batch-command")).length);
    }
    expect(counts).toEqual([12, 12, 12]);
  });
});
