import { describe, expect, it } from "vitest";
import { GitHubPullRequests } from "../../src/github/github-pull-requests.ts";
import type { NewPullRequest } from "../../src/vcs/pull-requests.ts";
import { SampleForge } from "./sample-forge.ts";

const CREATE = /^POST .*\/pulls$/u;
const MERGE = /^PUT .*\/merge$/u;

interface Setup extends AsyncDisposable {
  readonly forge: SampleForge;
  readonly pulls: GitHubPullRequests;
  readonly request: NewPullRequest;
}

/** A forge with the branches `main` and `task/x-a`. */
async function setUp(): Promise<Setup> {
  const forge = await SampleForge.start();
  const base = forge.repository.commit("main", { "a.txt": "one\n" });
  const sourceHead = forge.repository.commit("task/x-a", { "b.txt": "two\n" }, base);
  const request = { source: "task/x-a", target: "main", title: "Add b", body: "text", sourceHead };
  const pulls = new GitHubPullRequests(forge.options());
  return { forge, pulls, request, [Symbol.asyncDispose]: () => forge[Symbol.asyncDispose]() };
}

describe("a pull request on GitHub", () => {
  it("CODE-5 is created, checked, approved and merged", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id, ...created } = await pulls.createPullRequest(request);
    const url = "https://example.com/octo-org/sample/pull/1";
    expect(created).toEqual({ source: "task/x-a", target: "main", url });
    const head = request.sourceHead;
    expect(await pulls.getPullRequestStatus(id)).toEqual({ kind: "open", head, isApproved: false, isMergeable: true });
    expect(await pulls.getPullRequestChecks(id)).toEqual({ kind: "pending" });
    forge.checks.runs.set(head, [{ name: "test", status: "in_progress" }]);
    expect(await pulls.getPullRequestChecks(id)).toEqual({ kind: "pending" });
    forge.checks.runs.set(head, [{ name: "test", status: "completed", conclusion: "success" }]);
    expect(await pulls.getPullRequestChecks(id)).toEqual({ kind: "passed" });
    const merged = await pulls.mergePullRequest(id, head);
    expect(merged).toEqual({ kind: "merged", commit: forge.repository.head("main") });
    expect(await pulls.getPullRequestStatus(id)).toEqual(merged);
  });

  it("CODE-6 is not created twice if the engine crashed before it recorded the first", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    forge.fail(CREATE, { isLost: true });
    await expect(pulls.createPullRequest(request)).rejects.toMatchObject({ code: "FORGE_FAILED" });
    const { id } = await pulls.createPullRequest(request);
    expect(await pulls.createPullRequest(request)).toMatchObject({ id });
    expect(forge.pulls).toHaveLength(1);
  });

  it("CODE-6 is used if another process created it after it was looked up", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    forge.fail(/^GET .*\/pulls$/u, { text: "[]" });
    await pulls.createPullRequest(request);
    forge.fail(/^GET .*\/pulls$/u, { text: "[]" });
    expect(await pulls.createPullRequest(request)).toMatchObject({ id: "1" });
    expect(forge.pulls).toHaveLength(1);
  });

  it("CODE-6 is not merged twice if the engine crashed after the merge", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.fail(MERGE, { isLost: true });
    await expect(pulls.mergePullRequest(id, request.sourceHead)).rejects.toMatchObject({ code: "FORGE_FAILED" });
    const sent = forge.changes.length;
    expect(await pulls.createPullRequest(request)).toMatchObject({ id });
    const commit = forge.repository.head("main");
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "merged", commit });
    expect(forge.changes).toHaveLength(sent);
  });
});

describe("the merge of a pull request on GitHub", () => {
  it("CODE-5 is refused for a head that was not checked", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.repository.commit("task/x-a", { "c.txt": "three\n" });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "head-moved" });
    expect(forge.changes).toHaveLength(1);
    // GitHub shows the old head for a moment; then its own comparison refuses the merge.
    forge.pull(id).staleHead = request.sourceHead;
    forge.fail(MERGE, { status: 409, message: "Head branch was modified." });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "head-moved" });
    expect(forge.pull(id).merged).toBeUndefined();
  });

  it("CODE-5 is not taken for done if a person merged another head", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    const head = forge.repository.commit("task/x-a", { "c.txt": "three\n" });
    expect(await pulls.mergePullRequest(id, head)).toMatchObject({ kind: "merged" });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "head-moved" });
  });

  it("CODE-5 is refused if the head moves between the look and the merge", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.onNext(MERGE, () => forge.repository.commit("task/x-a", { "c.txt": "three\n" }));
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "head-moved" });
    expect(forge.changes.filter((each) => MERGE.test(each))).toHaveLength(1);
  });

  it("CODE-7 is not sent if there is a conflict", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.repository.commit("main", { "b.txt": "other\n" });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ kind: "open", isMergeable: false });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "conflict" });
    expect(forge.changes).toHaveLength(1);
  });

  it("CODE-7 reports a conflict that comes between the look and the merge", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.onNext(MERGE, () => forge.repository.commit("main", { "b.txt": "other\n" }));
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "conflict" });
  });

  it("CODE-5 is refused with GitHub's reason if a rule of the repository blocks it", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.pull(id).blocked = true;
    const reason = expect.stringContaining("not mergeable");
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toEqual({ kind: "refused", reason });
  });
});

describe("a pull request on GitHub that cannot go on yet", () => {
  it("CODE-5 waits as long as GitHub does not know whether it can be merged", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.pull(id).mergeable = null;
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ kind: "open", isMergeable: undefined });
    const waiting = { name: "RetryAfterError", code: "FORGE_PENDING", retryAfterMs: 5000 };
    await expect(pulls.mergePullRequest(id, request.sourceHead)).rejects.toMatchObject(waiting);
    expect(forge.changes).toHaveLength(1);
  });

  it("CODE-5 waits if another merge moved the base meanwhile", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.fail(MERGE, { status: 405, message: "Base branch was modified. Review and try the merge again." });
    const merging = pulls.mergePullRequest(id, request.sourceHead);
    await expect(merging).rejects.toMatchObject({ code: "FORGE_PENDING" });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toMatchObject({ kind: "merged" });
  });

  it("CODE-5 waits if GitHub has not seen the last push", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.pull(id).staleHead = forge.repository.head("main")!;
    await expect(pulls.createPullRequest(request)).rejects.toMatchObject({ code: "FORGE_PENDING" });
  });
});

describe("a pull request on GitHub that was closed", () => {
  it("CODE-5 is closed once, is not merged then, and stays closed for the same head", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    await pulls.closePullRequest(id);
    await pulls.closePullRequest(id);
    expect(forge.changes.map((each) => each.split(" ")[0])).toEqual(["POST", "PATCH"]);
    expect(await pulls.getPullRequestStatus(id)).toEqual({ kind: "closed" });
    expect(await pulls.mergePullRequest(id, request.sourceHead)).toMatchObject({ kind: "refused" });
    expect(await pulls.createPullRequest(request)).toMatchObject({ id, isClosed: true });
    expect(await pulls.getPullRequestStatus(id)).toEqual({ kind: "closed" });
    expect(forge.changes).toHaveLength(2);
  });

  it("CODE-5 is replaced by a new one for another head", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    await pulls.closePullRequest(id);
    for (const pull of forge.pulls) pull.staleHead = request.sourceHead;
    const sourceHead = forge.repository.commit("task/x-a", { "c.txt": "three\n" });
    expect([id, (await pulls.createPullRequest({ ...request, sourceHead })).id]).toEqual(["1", "2"]);
  });

  it("CODE-5 is told apart from one that does not exist", async () => {
    await using setup = await setUp();
    for (const id of ["7", "x", "../1", ""])
      await expect(setup.pulls.getPullRequestStatus(id)).rejects.toMatchObject({ code: "PULL_REQUEST_MISSING" });
    expect(setup.forge.requests).toHaveLength(1);
  });
});

describe("an approval on GitHub", () => {
  const approval = { userId: 1, state: "APPROVED", association: "MEMBER" } as const;

  it("CODE-5 counts for the commit that was reviewed", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.pull(id).reviews.push({ ...approval, commit: request.sourceHead });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: true });
    forge.repository.commit("task/x-a", { "c.txt": "three\n" });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: false });
  });

  it("CODE-5 counts only from a person who may write to the repository", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    forge.pull(id).reviews.push({ ...approval, commit: request.sourceHead, association: "CONTRIBUTOR" });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: false });
  });

  it("CODE-5 is replaced by a later decision of the same person, and not by a comment", async () => {
    await using setup = await setUp();
    const { forge, pulls, request } = setup;
    const { id } = await pulls.createPullRequest(request);
    const review = { ...approval, commit: request.sourceHead };
    // More than one page.
    forge.pull(id).reviews = Array.from({ length: 100 }, () => ({ ...review, state: "CHANGES_REQUESTED" }));
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: false });
    forge.pull(id).reviews.push(review, { ...review, state: "COMMENTED" });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: true });
    forge.pull(id).reviews.push({ ...review, userId: 2, state: "CHANGES_REQUESTED" });
    expect(await pulls.getPullRequestStatus(id)).toMatchObject({ isApproved: false });
  });
});
