// What pull requests promise, on a forge or without one.

import { describe, expect, it } from "vitest";
import type { Branches } from "../../src/vcs/branches.ts";
import type { PullRequest, PullRequests } from "../../src/vcs/pull-requests.ts";
import type { BranchesSubject } from "./branches-contract.ts";

export interface PullRequestsSubject extends BranchesSubject {
  readonly pullRequests: PullRequests;
  readonly branches: Branches;
}

const SOURCE = "task/x-a";
const MARKER = { workflowId: "x", name: "a" };

async function request(subject: PullRequestsSubject, sourceHead: string): Promise<PullRequest> {
  const texts = { title: "A", body: "the work of a" };
  return await subject.pullRequests.createPullRequest({ source: SOURCE, target: "workflow/x", sourceHead, ...texts });
}

async function prepare(
  subject: PullRequestsSubject,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly id: string; readonly head: string }> {
  await subject.branches.createBranch("workflow/x", "main");
  const head = await subject.commitOn(SOURCE, "main", files);
  return { id: (await request(subject, head)).id, head };
}

export function describePullRequests(name: string, open: () => Promise<PullRequestsSubject>): void {
  describe(`a pull request (${name})`, () => describeMerging(open));
  describe(`a pull request that is not merged (${name})`, () => describeRefusals(open));
}

function describeMerging(open: () => Promise<PullRequestsSubject>): void {
  it("CODE-5 is created once for a source and a target", async () => {
    await using subject = await open();
    const { id, head } = await prepare(subject, { "b.txt": "b\n" });
    expect(await request(subject, head)).toMatchObject({ id, source: SOURCE, target: "workflow/x" });
    expect(await subject.pullRequests.getPullRequestStatus(id)).toMatchObject({
      kind: "open",
      head,
      isMergeable: true,
    });
    expect(await subject.pullRequests.getPullRequestChecks(id)).toEqual({ kind: "passed" });
  });

  it("CODE-6 is merged exactly once, and its branch may be deleted then", async () => {
    await using subject = await open();
    const { pullRequests, branches } = subject;
    const { id, head } = await prepare(subject, { "b.txt": "b\n" });
    await expect(branches.deleteBranch(SOURCE, head, MARKER)).rejects.toMatchObject({ code: "BRANCH_NOT_LANDED" });
    const merged = await pullRequests.mergePullRequest(id, head);
    if (merged.kind !== "merged") throw new Error(merged.kind);
    expect(subject.fileAt(merged.commit, "b.txt")).toBe("b\n");
    expect(await pullRequests.mergePullRequest(id, head)).toEqual(merged);
    expect(subject.length("workflow/x")).toBe(2);
    await branches.deleteBranch(SOURCE, head, MARKER);
    expect(await pullRequests.getPullRequestStatus(id)).toEqual(merged);
  });

  it("CODE-5 keeps its checks without a forge, and is merged by the landing that it is for", async () => {
    await using subject = await open();
    const { pullRequests, branches } = subject;
    if (pullRequests.recordPullRequestChecks === undefined) return;
    await branches.createBranch("workflow/x", "main");
    const sourceHead = await subject.commitOn(SOURCE, "main", { "b.txt": "b\n" });
    const texts = { title: "A", body: "the ${ work }\nof a", source: SOURCE, target: "workflow/x", marker: MARKER };
    const { id } = await pullRequests.createPullRequest({ ...texts, sourceHead, hasChecks: true });
    expect(await pullRequests.getPullRequestChecks(id)).toEqual({ kind: "pending" });
    const failed = { kind: "failed", name: "npm test", log: "1 is not 2" } as const;
    await pullRequests.recordPullRequestChecks(id, failed);
    await pullRequests.createPullRequest({ ...texts, sourceHead, hasChecks: true });
    expect(await pullRequests.getPullRequestChecks(id)).toEqual(failed);
    const work = { source: SOURCE, sourceHead, target: "workflow/x", marker: MARKER };
    await branches.mergeBranch({ ...work, isSquashed: false, message: "a", atMs: 0 });
    await branches.deleteBranch(SOURCE, sourceHead, MARKER);
    expect(await pullRequests.getPullRequestStatus(id)).toMatchObject({ kind: "merged" });
  });

  it("CODE-5 is not merged if its head is not the expected one", async () => {
    await using subject = await open();
    const { id, head } = await prepare(subject, { "b.txt": "b\n" });
    await subject.commitNothing(SOURCE);
    expect(await subject.pullRequests.mergePullRequest(id, head)).toEqual({ kind: "head-moved" });
    expect(subject.length("workflow/x")).toBe(1);
  });
}

function describeRefusals(open: () => Promise<PullRequestsSubject>): void {
  it("CODE-7 with a conflict is not mergeable", async () => {
    await using subject = await open();
    const { id, head } = await prepare(subject, { "a.txt": "left\n" });
    const sourceHead = await subject.commitOn("task/x-b", "main", { "a.txt": "right\n" });
    await subject.branches.mergeBranch({
      source: "task/x-b",
      sourceHead,
      target: "workflow/x",
      marker: { workflowId: "x", name: "b" },
      isSquashed: false,
      message: "b",
      atMs: 0,
    });
    expect(await subject.pullRequests.getPullRequestStatus(id)).toMatchObject({ kind: "open", isMergeable: false });
    expect(await subject.pullRequests.mergePullRequest(id, head)).toMatchObject({ kind: "conflict" });
  });

  it("CODE-5 that is closed is not merged, and stays closed until its source has a new head", async () => {
    await using subject = await open();
    const { pullRequests } = subject;
    const { id, head } = await prepare(subject, { "b.txt": "b\n" });
    await pullRequests.closePullRequest(id);
    await pullRequests.closePullRequest(id);
    expect(await pullRequests.getPullRequestStatus(id)).toEqual({ kind: "closed" });
    expect(await pullRequests.mergePullRequest(id, head)).toMatchObject({ kind: "refused" });
    expect(await request(subject, head)).toMatchObject({ id, isClosed: true });
    expect(await pullRequests.getPullRequestStatus(id)).toEqual({ kind: "closed" });
    await subject.commitNothing(SOURCE);
    const { head: moved } = await subject.branches.getBranchStatus(SOURCE);
    const again = await request(subject, moved!);
    expect(again.isClosed).toBeUndefined();
    expect(await pullRequests.getPullRequestStatus(again.id)).toMatchObject({ kind: "open" });
  });

  it("CODE-7 of a missing branch or with an unknown id is an error", async () => {
    await using subject = await open();
    const { pullRequests } = subject;
    const missing = { source: "none", target: "main", title: "", body: "", sourceHead: "" };
    await expect(pullRequests.createPullRequest(missing)).rejects.toMatchObject({ code: "BRANCH_MISSING" });
    await expect(pullRequests.getPullRequestStatus("none")).rejects.toMatchObject({ code: "PULL_REQUEST_MISSING" });
  });
}
