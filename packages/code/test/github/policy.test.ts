import { describe, expect, it } from "vitest";
import type { WorkflowMergeRequest } from "../../src/merging/merge-policies.ts";
import { mergePolicy } from "../../src/merging/policies.ts";
import type { ForgeRun } from "./forge-answers.ts";
import { SampleGitHub } from "./sample-github.ts";

type Commit = Parameters<NonNullable<WorkflowMergeRequest["check"]>>[0];

/** A check that passes and notes the commits that it got. */
function noted(): { readonly commits: Commit[]; readonly check: NonNullable<WorkflowMergeRequest["check"]> } {
  const commits: Commit[] = [];
  const check = async (commit: Commit): Promise<{ readonly kind: "passed" }> => {
    commits.push(commit);
    return { kind: "passed" };
  };
  return { commits, check };
}

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

const FAILED: ForgeRun = {
  name: "test",
  status: "completed",
  conclusion: "failure",
  text: "expected 1, got 2",
  completedAt: "2026-01-02T03:04:05Z",
};
const FAILED_AGAIN: ForgeRun = { ...FAILED, completedAt: "2026-01-02T03:05:05Z" };

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
    github.forge.checks.runs.set(request.sourceHead, [FAILED]);
    const policy = mergePolicy("pr_and_merge");
    await policy.mergeWorkflow(request);
    github.forge.checks.runs.set(request.sourceHead, [FAILED_AGAIN]);
    expect(await policy.mergeWorkflow(request)).toMatchObject({
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

describe("what lands by a pull request on GitHub", () => {
  it("CODE-5 passed the checks of the template", async () => {
    await using github = await SampleGitHub.start();
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const check = async () => ({ kind: "failed", command: "npm test", log: "expected 1, got 2" }) as const;
    expect(await mergePolicy("pr_and_merge").mergeWorkflow({ ...request, check })).toMatchObject({
      success: false,
      error: { type: "test_failure" },
      ciLogs: "expected 1, got 2",
      failed: { command: "npm test" },
    });
    expect(github.forge.pull("1").merged).toBeUndefined();
  });

  it("CODE-5 CODE-6 was checked with the work that landed before it", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    const [one, two] = [
      await mergeRequest(github, "a", { "b.txt": "two\n" }),
      await mergeRequest(github, "b", { "c.txt": "three\n" }),
    ];
    const policy = mergePolicy("pr_and_merge");
    const { commit: onto } = await policy.mergeWorkflow(one);
    const { commits, check } = noted();
    const { commit } = await policy.mergeWorkflow({ ...two, check });
    expect(commits).toMatchObject([{ onto }]);
    expect(sample.git("ls-tree", "--name-only", commits[0]!.commit).split("\n")).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect(sample.git("rev-parse", `${commit}^{tree}`)).toBe(commits[0]!.tree);
    expect(sample.git("rev-parse", two.sourceBranch)).toBe(two.sourceHead);
    await vcs.deleteBranch(two.sourceBranch, two.sourceHead, two.marker);
    expect(forge.repository.head(two.sourceBranch)).toBeUndefined();
  });

  it("CODE-5 is checked again if the target moves during the checks", async () => {
    await using github = await SampleGitHub.start();
    const { forge } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const { commits, check } = noted();
    const slow: typeof check = async (commit) => {
      if (commits.length === 0) forge.repository.commit("workflow/x", { "theirs.txt": "theirs\n" });
      return await check(commit);
    };
    const policy = mergePolicy("pr_and_merge");
    expect(await policy.mergeWorkflow({ ...request, check: slow })).toMatchObject({ waitingFor: { kind: "checks" } });
    const onto = forge.repository.head("workflow/x");
    expect(await policy.mergeWorkflow({ ...request, check: slow })).toMatchObject({ success: true });
    expect(commits).toMatchObject([{}, { onto }]);
  });

  it("CODE-5 has the approval of a person who reviewed it before the target moved", async () => {
    await using github = await SampleGitHub.start();
    const { forge } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const policy = mergePolicy("pr_and_notify");
    await policy.mergeWorkflow(request);
    const review = { userId: 1, state: "APPROVED", association: "OWNER" } as const;
    forge.pull("1").reviews.push({ ...review, commit: request.sourceHead });
    forge.repository.commit("workflow/x", { "theirs.txt": "theirs\n" });
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: true });
  });
});

describe("work on GitHub whose target was merged into it", () => {
  it("CODE-6 is found again after a crash, also with a head that contains its target", async () => {
    await using github = await SampleGitHub.start();
    const { forge } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    forge.repository.commit("workflow/x", { "theirs.txt": "theirs\n" }, forge.repository.head("main"));
    forge.fail(/^PUT /u, { isLost: true });
    const policy = mergePolicy("pr_and_merge");
    await expect(policy.mergeWorkflow(request)).rejects.toMatchObject({ code: "FORGE_FAILED" });
    forge.repository.git("update-ref", "-d", `refs/heads/${request.sourceBranch}`);
    expect(await policy.mergeWorkflow(request)).toMatchObject({
      success: true,
      commit: forge.repository.head("workflow/x"),
    });
    expect(forge.pulls).toHaveLength(1);
  });

  it("CODE-9 may be repaired by a person after its target was merged into it", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    forge.repository.commit("workflow/x", { "theirs.txt": "theirs\n" }, forge.repository.head("main"));
    const policy = mergePolicy("pr_and_notify");
    await policy.mergeWorkflow(request);
    const sourceHead = await sample.commitOn("repair", request.sourceHead as never, { "b.txt": "four\n" });
    sample.git("update-ref", `refs/heads/${request.sourceBranch}`, sourceHead);
    expect(await policy.mergeWorkflow({ ...request, sourceHead, isApproved: true })).toMatchObject({ success: true });
    expect(forge.repository.git("show", "workflow/x:b.txt")).toBe("four");
    expect(forge.repository.git("show", "workflow/x:theirs.txt")).toBe("theirs");
  });
});

describe("a failed check on GitHub", () => {
  it("CODE-7 is run once more on the same commit, and counts if it passes then", async () => {
    await using github = await SampleGitHub.start();
    const { forge } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    forge.checks.runs.set(request.sourceHead, [FAILED]);
    const policy = mergePolicy("pr_and_merge");
    const waitingFor = { kind: "checks" };
    expect(await policy.mergeWorkflow(request)).toMatchObject({ waitingFor });
    expect(await policy.mergeWorkflow(request)).toMatchObject({ waitingFor });
    expect(forge.reruns).toHaveLength(1);
    forge.checks.runs.set(request.sourceHead, [{ ...FAILED_AGAIN, conclusion: "success" }]);
    expect(await policy.mergeWorkflow(request)).toMatchObject({ success: true });
  });

  it("CODE-7 counts at once if the forge does not run it again", async () => {
    await using github = await SampleGitHub.start();
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    github.forge.checks.runs.set(request.sourceHead, [FAILED]);
    github.forge.fail(/^POST .*rerequest$/u, { status: 403 });
    expect(await mergePolicy("pr_and_merge").mergeWorkflow(request)).toMatchObject({ error: { type: "ci_failure" } });
  });

  it("CODE-7 charges no task if it fails on the target too", async () => {
    await using github = await SampleGitHub.start();
    const { forge, vcs } = github;
    const request = await mergeRequest(github, "a", { "b.txt": "two\n" });
    const policy = mergePolicy("pr_and_merge");
    forge.checks.runs.set(request.sourceHead, [FAILED]);
    forge.checks.runs.set((await vcs.getBranchStatus("workflow/x")).head!, [FAILED]);
    await policy.mergeWorkflow(request);
    forge.checks.runs.set(request.sourceHead, [FAILED_AGAIN]);
    expect(await policy.mergeWorkflow(request)).toMatchObject({ waitingFor: { kind: "base-broken" } });
  });
});
