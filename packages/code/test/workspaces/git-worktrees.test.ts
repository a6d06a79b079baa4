import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { openGitSubject } from "./git-workspaces-subject.ts";
import { describeWorkspaces } from "./workspaces-contract.ts";

describeWorkspaces("git worktree", () =>
  openGitSubject((repository, objects) => new GitWorktrees(repository, objects)),
);
