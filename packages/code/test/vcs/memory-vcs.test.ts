import { describe, expect, it } from "vitest";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { describeBranches } from "./branches-contract.ts";
import { openMemoryVcs } from "./memory-vcs-subject.ts";
import { describePullRequests } from "./pull-requests-contract.ts";

describeBranches("in memory", openMemoryVcs);
describePullRequests("in memory", openMemoryVcs);

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
