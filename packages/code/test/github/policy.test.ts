import { describe, expect, it } from "vitest";
import type { WorkflowMergeRequest } from "../../src/merging/merge-policies.ts";
import { mergePolicy } from "../../src/merging/policies.ts";
import { SampleGitHub } from "./sample-github.ts";

/** The merge of a task of the workflow `x` that changes a file. */
async function mergeRequest(
  { sample, vcs }: SampleGitHub,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<WorkflowMergeRequest> {
  const base = await vcs.createBranch("workflow/x", "main");
  return {
    mergeId: `x/${name}`,
    workflowId: "x",
    vcs,
    marker: { workflowId: "x", name },
    sourceBranch: `task/x-${name}`,
    sourceHead: await sample.commitOn(`task/x-${name}`, base as ReturnType<typeof sample.commit>, files),
    targetBranch: "workflow/x",
    title: name,
    message: `merge ${name}`,
    atMs: 1_000_000,
    isApproved: false,
    signal: new AbortController().signal,
  };
}

describe("a policy with pull requests on GitHub", () => {
  it("CODE-5 waits for the checks, then merges", async () => {
    await using github = await SampleGitHub.start({ allowNoChecks: false });
    const { forge, vcs } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const policy = mergePolicy("pr_and_merge");
    const waitingFor = { kind: "checks" };
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: false, waitingFor });
    forge.checks.runs.set(request.sourceHead, [{ name: "test", status: "queued" }]);
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: false, waitingFor });
    forge.checks.runs.set(request.sourceHead, [{ name: "test", status: "completed", conclusion: "success" }]);
    const commit = (await policy.mergeWorkflow(request)).commit;
    expect(commit).toBe(forge.repository.head("workflow/x"));
    expect(await vcs.getBranchStatus("workflow/x")).toMatchObject({ head: commit });
    // After a crash the same merge gives the same answer.
    expect(await mergePolicy("pr_and_merge").mergeWorkflow(request)).toMatchObject({ success: true, commit });
    expect(forge.pulls).toHaveLength(1);
  });

  it("CODE-5 asks a person, whose review on GitHub counts", async () => {
    await using github = await SampleGitHub.start();
    const { forge } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const policy = mergePolicy("pr_and_notify");
    const waitingFor = { kind: "approval", url: "https://example.com/octo-org/sample/pull/1" };
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: false, waitingFor });
    const review = { userId: 1, state: "APPROVED", association: "OWNER" } as const;
    forge.pull("1").reviews.push({ ...review, commit: request.sourceHead });
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: true });
  });

  it("CODE-7 gives the log of a failed check to the fix", async () => {
    await using github = await SampleGitHub.start();
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const failed = { name: "test", status: "completed", conclusion: "failure", text: "expected 1, got 2" } as const;
    github.forge.checks.runs.set(request.sourceHead, [failed]);
    expect(await mergePolicy("pr_and_merge").mergeWorkflow(request)).toMatchObject({
      success: false,
      error: { type: "ci_failure" },
      ciLogs: "expected 1, got 2",
    });
  });

  it("CODE-7 gives the conflicting files to the fix, and the fixed branch is pushed", async () => {
    await using github = await SampleGitHub.start();
    const { sample } = github;
    const one = await mergeRequest(github, "a", { "a.txt": "left\n" });
    const two = await mergeRequest(github, "b", { "a.txt": "right\n" });
    const policy = mergePolicy("pr_and_merge");
    const { commit: onto } = await policy.mergeWorkflow(one);
    const failed = await policy.mergeWorkflow(two);
    expect(failed).toMatchObject({ success: false, error: { type: "merge_conflict" } });
    expect(failed.conflicts?.files).toMatchObject([{ path: "a.txt" }]);
    const parents = ["-p", two.sourceHead, "-p", onto!];
    const sourceHead = sample.git("commit-tree", "-m", "fix", ...parents, `${two.sourceHead}^{tree}`);
    sample.git("update-ref", "refs/heads/task/x-b", sourceHead);
    expect(await policy.mergeWorkflow({ ...two, sourceHead })).toMatchObject({ success: true });
  });
});
