import { describe, expect, it } from "vitest";
import { gitSubject } from "../vcs/git-vcs-subject.ts";
import { describePullRequests, type PullRequestsSubject } from "../vcs/pull-requests-contract.ts";
import { SampleGitHub } from "./sample-github.ts";

async function open(): Promise<PullRequestsSubject> {
  const github = await SampleGitHub.start();
  const { sample, vcs } = github;
  return { ...gitSubject(sample, vcs), [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() };
}

function head({ sample }: SampleGitHub, branch: string): ReturnType<typeof sample.commit> {
  return sample.git("rev-parse", `refs/heads/${branch}`) as ReturnType<typeof sample.commit>;
}

describePullRequests("on GitHub", open);

/** A task of the workflow `x` whose work is on its branch. */
async function task(github: SampleGitHub, name: string, target = "workflow/x") {
  const source = `task/x-${name}`;
  await github.vcs.createBranch("workflow/x", "main");
  const sourceHead = await github.sample.commitOn(source, head(github, "workflow/x"), { [`${name}.txt`]: `${name}\n` });
  return { source, target, title: name, body: name, sourceHead, marker: { workflowId: "x", name } };
}

describe("a workflow on GitHub", () => {
  it("CODE-6 lands its tasks and then itself by pull requests, and the checkout of the user stays as it is", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    const checkout = sample.checkout();
    for (const name of ["a", "b"]) {
      const request = await task(github, name);
      const { id } = await vcs.createPullRequest(request);
      const merged = await vcs.mergePullRequest(id, request.sourceHead);
      expect(merged).toEqual({ kind: "merged", commit: head(github, "workflow/x") });
      expect(sample.git("rev-parse", `refs/segno/x/landed/${name}`)).toBe(head(github, "workflow/x"));
      await vcs.deleteBranch(request.source, request.sourceHead, { workflowId: "x", name });
      await vcs.deleteBranch(request.source, request.sourceHead, { workflowId: "x", name });
      expect(forge.repository.head(request.source)).toBeUndefined();
    }
    const sourceHead = head(github, "workflow/x");
    const marker = { workflowId: "x", name: "_workflow" };
    const texts = { title: "x", body: "" };
    const { id } = await vcs.createPullRequest({ source: "workflow/x", target: "main", ...texts, sourceHead, marker });
    const merged = await vcs.mergePullRequest(id, sourceHead);
    expect(merged).toEqual({ kind: "merged", commit: forge.repository.head("main") });
    expect(sample.git("rev-parse", "refs/segno/x/landed/_workflow")).toBe(forge.repository.head("main"));
    // `main` is checked out, so the user pulls it.
    expect(sample.checkout()).toBe(checkout);
  });

  it("CODE-6 moves the base branch forward if no folder has it checked out", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    sample.git("switch", "--quiet", "--create", "other");
    const request = await task(github, "a", "main");
    const { id } = await vcs.createPullRequest(request);
    await vcs.mergePullRequest(id, request.sourceHead);
    expect(head(github, "main")).toBe(forge.repository.head("main"));
  });
});

describe("a merge on GitHub", () => {
  it("CODE-6 is found again after a crash, also if GitHub has deleted the branch", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    const request = await task(github, "a");
    const { id } = await vcs.createPullRequest(request);
    forge.fail(/^PUT /u, { isLost: true });
    await expect(vcs.mergePullRequest(id, request.sourceHead)).rejects.toMatchObject({ code: "FORGE_FAILED" });
    forge.repository.git("update-ref", "-d", `refs/heads/${request.source}`);
    expect(await vcs.createPullRequest(request)).toMatchObject({ id });
    const status = await vcs.getPullRequestStatus(id);
    expect(status).toEqual({ kind: "merged", commit: forge.repository.head("workflow/x") });
    expect(head(github, "workflow/x")).toBe(forge.repository.head("workflow/x"));
    expect(await vcs.mergePullRequest(id, request.sourceHead)).toEqual(status);
    expect(sample.git("rev-parse", "refs/segno/x/landed/a")).toBe(forge.repository.head("workflow/x"));
    expect(forge.repository.head(request.source)).toBeUndefined();
  });

  it("CODE-6 comes after the merges of others, which are fetched", async () => {
    await using github = await SampleGitHub.start();
    const { forge, vcs } = github;
    const [one, two] = [await task(github, "a"), await task(github, "b")];
    const first = await vcs.createPullRequest(one);
    const second = await vcs.createPullRequest(two);
    // A person merges the first on GitHub.
    forge.pull(first.id).merged = {
      head: one.sourceHead,
      commit: forge.repository.merge(one.sourceHead, "workflow/x"),
    };
    forge.pull(first.id).state = "closed";
    await vcs.mergePullRequest(second.id, two.sourceHead);
    await vcs.getPullRequestStatus(first.id);
    expect(head(github, "workflow/x")).toBe(forge.repository.head("workflow/x"));
  });
});

describe("a merge on GitHub that conflicts", () => {
  it("CODE-7 names the files and starts a fix from the target as GitHub has it", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    const source = "task/x-a";
    const sourceHead = await sample.commitOn(source, head(github, "main"), { "a.txt": "left\n" });
    const { id } = await vcs.createPullRequest({ source, target: "main", title: "a", body: "", sourceHead });
    const onto = forge.repository.commit("main", { "a.txt": "right\n" });
    const merge = await vcs.mergePullRequest(id, sourceHead);
    expect(merge).toMatchObject({ kind: "conflict", found: { onto, conflicts: { files: [{ path: "a.txt" }] } } });
    if (merge.kind !== "conflict" || merge.found === undefined) throw new Error(merge.kind);
    expect(sample.git("show", `${merge.found.commit}:a.txt`)).toContain("<<<<<<<");
    expect(sample.git("rev-parse", `${merge.found.commit}^@`).split("\n")).toEqual([sourceHead, onto]);
    expect(await vcs.mergePullRequest(id, sourceHead)).toEqual(merge);
  });
});

describe("a merge on GitHub that a person made", () => {
  it("CODE-9 lands the task, also if it was squashed with commits that only GitHub has", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, vcs } = github;
    const request = await task(github, "a");
    const { id } = await vcs.createPullRequest(request);
    const theirs = forge.repository.commit(request.source, { "theirs.txt": "theirs\n" });
    const commit = forge.repository.commit("workflow/x", { "a.txt": "a\n", "theirs.txt": "theirs\n" });
    Object.assign(forge.pull(id), { merged: { head: theirs, commit }, state: "closed" });
    expect(await vcs.getPullRequestStatus(id)).toEqual({ kind: "merged", commit });
    expect([head(github, "workflow/x"), sample.git("rev-parse", "refs/segno/x/landed/a")]).toEqual([commit, commit]);
    await vcs.deleteBranch(request.source, request.sourceHead, request.marker);
    // The remote branch has moved, so it stays.
    expect(forge.repository.head(request.source)).toBe(theirs);
  });
});

describe("a push to GitHub", () => {
  it("CODE-9 never discards a commit of the remote branch", async () => {
    await using github = await SampleGitHub.start();
    const { forge, vcs } = github;
    const request = await task(github, "a");
    await vcs.createPullRequest(request);
    const theirs = forge.repository.commit(request.source, { "theirs.txt": "theirs\n" });
    await expect(vcs.createPullRequest(request)).rejects.toMatchObject({
      code: "FORGE_REFUSED",
      name: "PermanentError",
      message: expect.stringContaining("merge the commits of the remote branch first"),
    });
    expect(forge.repository.head(request.source)).toBe(theirs);
  });

  it("CODE-9 does not delete a remote branch that has moved", async () => {
    await using github = await SampleGitHub.start();
    const { forge, remote } = github;
    const request = await task(github, "a");
    await remote.push(request.source, request.sourceHead);
    const theirs = forge.repository.commit(request.source, { "theirs.txt": "theirs\n" });
    await remote.delete(request.source, [request.sourceHead]);
    expect(forge.repository.head(request.source)).toBe(theirs);
  });

  it("CODE-8 with a wrong token is an authentication error", async () => {
    await using github = await SampleGitHub.start({ token: () => "wrong" });
    const { sourceHead } = await task(github, "a");
    await expect(github.remote.push("task/x-a", sourceHead)).rejects.toMatchObject({
      code: "FORGE_UNAUTHORIZED",
      name: "PermanentError",
    });
  });

  it.each([
    [404, "FORGE_REFUSED"],
    [403, "FORGE_UNAUTHORIZED"],
    [429, "FORGE_LIMITED"],
    [503, "FORGE_FAILED"],
  ])("CODE-8 that gets the status %d fails with %s", async (status, code) => {
    await using github = await SampleGitHub.start();
    github.forge.fail(/^GIT /u, { status });
    await expect(github.remote.head("main")).rejects.toMatchObject({ code });
  });

  it("DATA-9 does not follow a redirect", async () => {
    await using github = await SampleGitHub.start();
    const location = `${github.forge.origin}/octo-org/elsewhere.git/info/refs?service=git-upload-pack`;
    github.forge.fail(/^GIT /u, { status: 301, headers: { location } });
    await expect(github.remote.head("main")).rejects.toMatchObject({ code: "FORGE_REFUSED" });
    expect(github.forge.authorizations).toHaveLength(1);
  });
});
