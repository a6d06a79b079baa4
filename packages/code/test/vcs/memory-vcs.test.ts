import { describe, expect, it } from "vitest";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { describeBranches } from "./branches-contract.ts";
import { describePullRequests, type PullRequestsSubject } from "./pull-requests-contract.ts";

async function open(): Promise<PullRequestsSubject> {
  const repository = new MemoryRepository({ "a.txt": "one\n" });
  const vcs = new MemoryVcs(repository);
  return {
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

describeBranches("in memory", open);
describePullRequests("in memory", open);

describe("version control in memory", () => {
  it("CODE-14 lists the branches that were merged", async () => {
    const vcs = new MemoryVcs();
    await vcs.createBranch("task/x-a", "main");
    const sourceHead = vcs.repository.commitOn("task/x-a", { "a.txt": "a" });
    const marker = { workflowId: "x", name: "a" };
    const texts = { isSquashed: true, message: "a", atMs: 0 };
    await vcs.mergeBranch({ source: "task/x-a", sourceHead, target: "main", marker, ...texts });
    expect(vcs.mergedBranches).toEqual(["task/x-a"]);
  });

  it("CODE-5 has pull requests that tests approve and check", async () => {
    const vcs = new MemoryVcs();
    await vcs.createBranch("task/x-a", "main");
    const sourceHead = vcs.repository.commitOn("task/x-a", { "a.txt": "a" });
    const request = { source: "task/x-a", target: "main", title: "A", body: "", sourceHead };
    const { id } = await vcs.createPullRequest(request);
    vcs.approvePullRequest(id);
    vcs.setPullRequestChecks(id, { kind: "pending" });
    expect(await vcs.getPullRequestStatus(id)).toMatchObject({ isApproved: true });
    expect(await vcs.getPullRequestChecks(id)).toEqual({ kind: "pending" });
  });
});
