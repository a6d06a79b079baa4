import { GitClones } from "../../src/workspaces/git-clones.ts";
import { openGitSubject } from "./git-workspaces-subject.ts";
import { describeWorkspaces } from "./workspaces-contract.ts";

describeWorkspaces("git clone", () => openGitSubject((repository, objects) => new GitClones(repository, objects)));
