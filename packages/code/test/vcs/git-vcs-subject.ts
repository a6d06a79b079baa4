// Branches and pull requests of git in a sample repository, as the contract suites look at them.

import type { Oid } from "../../src/git/oid.ts";
import { GitVcs } from "../../src/vcs/git-vcs.ts";
import type { Vcs } from "../../src/vcs/vcs.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import type { PullRequestsSubject } from "./pull-requests-contract.ts";

export interface VcsSubject<Port extends Vcs> extends PullRequestsSubject {
  readonly sample: SampleRepository;
  readonly vcs: Port;
  readonly branches: Port;
  readonly pullRequests: Port;
}

export type GitVcsSubject = VcsSubject<GitVcs>;

export async function openGitVcs(sample: SampleRepository = new SampleRepository()): Promise<GitVcsSubject> {
  const { repository, objects } = await sample.open();
  return gitSubject(sample, new GitVcs(repository, objects, { nowMs: () => 1_000_000 }));
}

/** A version control port of a sample repository. */
export function gitSubject<Port extends Vcs>(sample: SampleRepository, vcs: Port): VcsSubject<Port> {
  return {
    sample,
    vcs,
    branches: vcs,
    pullRequests: vcs,
    commitOn: (branch, from, files) => sample.commitOn(branch, from as Oid, files),
    commitNothing: async (branch) => {
      const message = ["commit-tree", "-m", "nothing", "-p", branch, `${branch}^{tree}`];
      sample.git("update-ref", `refs/heads/${branch}`, sample.git(...message));
    },
    fileAt: (commit, path) => {
      try {
        return `${sample.git("cat-file", "-p", `${commit}:${path}`)}\n`;
      } catch {
        return undefined;
      }
    },
    parents: (commit) => sample.git("show", "--no-patch", "--format=%P", commit).split(" "),
    length: (branch) => Number(sample.git("rev-list", "--count", "--first-parent", branch)),
    [Symbol.asyncDispose]: () => sample[Symbol.asyncDispose](),
  };
}
