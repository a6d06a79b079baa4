// Parts of a task that a crash may interrupt. Each may be run again.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Repository } from "../../src/git/repository.ts";
import type { BranchMergeOutcome } from "../../src/vcs/branches.ts";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import { GitVcs } from "../../src/vcs/git-vcs.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";

const TEXTS = { isSquashed: true, message: "land", atMs: 1_000_000 };

async function land(branches: GitBranches, source: string, target: string): Promise<BranchMergeOutcome> {
  const { head } = await branches.getBranchStatus(source);
  const marker = { workflowId: "x", name: "t" };
  return await branches.mergeBranch({ source, sourceHead: head!, target, marker, ...TEXTS });
}

const PARTS = {
  /** Lands on a branch that is not checked out. */
  "land-on-workflow": async (repository: Repository, objects: ObjectGit): Promise<unknown> =>
    await land(new GitBranches(repository, objects), "task/x-t", "workflow/x"),
  /** Lands on the branch that the user has checked out. */
  "land-on-main": async (repository: Repository, objects: ObjectGit): Promise<unknown> =>
    await land(new GitBranches(repository, objects), "task/x-t", "main"),
  "merge-pull-request": async (repository: Repository, objects: ObjectGit): Promise<unknown> => {
    const head = await repository.resolve("refs/heads/task/x-t");
    return await new GitVcs(repository, objects).mergePullRequest("task/x-t..workflow/x", head!);
  },
  /** Creates a workspace, changes a file, commits and destroys the workspace. */
  work: async (repository: Repository, objects: ObjectGit): Promise<unknown> => {
    const workspaces = new GitWorktrees(repository, objects);
    const base = await repository.resolveBase("main");
    const { path } = await workspaces.createWorkspace({ workspaceId: "x/w", branch: "task/x-w", base });
    writeFileSync(join(path, "w.txt"), "work\n");
    const committed = await workspaces.commitChanges("x/w", { since: base, message: "work", atMs: 0 });
    await workspaces.destroyWorkspace("x/w");
    return committed;
  },
};

export type Part = keyof typeof PARTS;

export function isPart(name: string): name is Part {
  return Object.hasOwn(PARTS, name);
}

export async function runPart(part: Part, repository: Repository, objects: ObjectGit): Promise<unknown> {
  return await PARTS[part](repository, objects);
}
