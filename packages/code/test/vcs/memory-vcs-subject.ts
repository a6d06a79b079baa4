// Branches and pull requests in memory, as the contract suites look at them.

import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import type { PullRequestsSubject } from "./pull-requests-contract.ts";

export interface MemoryVcsSubject extends PullRequestsSubject {
  readonly vcs: MemoryVcs;
}

export async function openMemoryVcs(): Promise<MemoryVcsSubject> {
  const repository = new MemoryRepository({ "a.txt": "one\n" });
  const vcs = new MemoryVcs(repository);
  return {
    vcs,
    branches: vcs,
    pullRequests: vcs,
    commitOn: async (branch, from, files) => {
      await vcs.createBranch(branch, from);
      return repository.commitOn(branch, files);
    },
    commitNothing: async (branch) => void repository.commitOn(branch, {}),
    fileAt: (commit, path) => repository.read(commit).files.get(path),
    parents: (commit) => repository.read(commit).parents,
    length: (branch) => {
      let length = 0;
      for (
        let commit = repository.resolve(`refs/heads/${branch}`);
        commit !== undefined;
        commit = repository.read(commit).parents[0]
      )
        length++;
      return length;
    },
    async [Symbol.asyncDispose]() {},
  };
}
