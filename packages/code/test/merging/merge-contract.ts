// What both ports of merge policies promise. Each port has a suite of its own, which adds what only that port has.

import { describe, expect, it } from "vitest";
import type { MergePolicy, MergePolicyRequest } from "../../src/merging/merge-policies.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import type { CheckResult } from "../../src/vcs/branches.ts";
import { pullRequestId } from "../../src/vcs/pull-request-refs.ts";
import type { Vcs } from "../../src/vcs/vcs.ts";
import type { BranchesSubject } from "../vcs/branches-contract.ts";

/** A repository whose `main` has `a.txt` with `one`. */
export interface MergeSubject extends BranchesSubject {
  readonly vcs: Vcs;
  /** The user's folder, which has `main` checked out. Undefined if the repository has no folder. */
  readonly checkout?: UserFolder;
}

export interface UserFolder {
  /** Changes a file that the work of a test changes too. */
  edit(): void;
  undoEdit(): void;
  /** All that the folder has, bit for bit. */
  everything(): readonly string[];
  /** The files that the user sees as changed. */
  changedFiles(): readonly string[];
}

/** The parts of the contract that depend on the policy. */
export interface MergeTraits {
  /** Whether the checks of a request run. */
  readonly runsChecks: boolean;
  /** Whether a person has to approve a merge. */
  readonly needsApproval: boolean;
  readonly hasPullRequests: boolean;
}

export interface TestedMerges<Policy extends MergePolicy> {
  readonly traits: MergeTraits;
  /** The policy, as a new process has it. */
  readonly create: () => Policy;
  readonly open: () => Promise<MergeSubject>;
}

/** How a port is used. */
export interface MergePort<Policy extends MergePolicy> extends TestedMerges<Policy> {
  readonly target: string;
  /** The branch of the work with this name. */
  readonly source: (name: string) => string;
  readonly merge: (policy: Policy, request: MergePolicyRequest) => Promise<MergeResult>;
}

type Files = Readonly<Record<string, string>>;
type Check = NonNullable<MergePolicyRequest["check"]>;

const ID = "x/a";
const PASSED: CheckResult = { kind: "passed" };
const FAILED = { kind: "failed", command: "npm test", log: "1 is not 2" } as const;

/** The merge of new work. */
export async function requestMerge<Policy extends MergePolicy>(
  { source, target }: Pick<MergePort<Policy>, "source" | "target">,
  subject: MergeSubject,
  files: Files = { "b.txt": "b\n" },
  name = "a",
): Promise<MergePolicyRequest> {
  if (target !== "main") await subject.vcs.createBranch(target, "main");
  return {
    mergeId: `x/${name}`,
    workflowId: "x",
    vcs: subject.vcs,
    marker: { workflowId: "x", name },
    sourceBranch: source(name),
    sourceHead: await subject.commitOn(source(name), "main", files),
    targetBranch: target,
    title: name,
    message: `merge ${name}`,
    atMs: 1_000_000,
    isApproved: false,
    signal: new AbortController().signal,
  };
}

/** The same request after the approval of a person, if the policy needs one. */
export function approved(request: MergePolicyRequest, { needsApproval }: MergeTraits): MergePolicyRequest {
  return needsApproval ? { ...request, isApproved: true } : request;
}

async function headOf({ vcs }: MergeSubject, branch: string): Promise<string | undefined> {
  return (await vcs.getBranchStatus(branch)).head;
}

export function describeMerges<Policy extends MergePolicy>(name: string, port: MergePort<Policy>): void {
  describe(`a merge (${name})`, () => describeLandings(port));
  describe(`a merge that does not land (${name})`, () => describeFailures(port));
  describe(`a merge that cannot be made (${name})`, () => describeErrors(port));
  describe(`a failed or cancelled merge (${name})`, () => describeCancelling(port));
  if (port.traits.runsChecks) describe(`checks of a merge (${name})`, () => describeChecks(port));
  if (port.traits.needsApproval) describe(`the approval of a merge (${name})`, () => describeApproval(port));
  if (port.traits.hasPullRequests) describe(`the pull request of a merge (${name})`, () => describePullRequest(port));
}

function describeLandings<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { traits, target, merge, create, open } = port;

  it("CODE-5 lands the work, and stays completed whatever is reported later", async () => {
    await using subject = await open();
    const policy = create();
    const request = await requestMerge(port, subject);
    const result = await merge(policy, approved(request, traits));
    const commit = (await headOf(subject, target))!;
    expect(result).toEqual({ success: true, mergeId: ID, commit });
    expect([subject.fileAt(commit, "b.txt"), subject.fileAt(commit, "a.txt")]).toEqual(["b\n", "one\n"]);
    const completed = { mergeId: ID, workflowId: "x", state: "completed", result };
    expect(await policy.getMergeStatus(ID)).toMatchObject(completed);
    await policy.handleMergeFailure(ID, { success: false, mergeId: ID });
    await policy.cancelMerge(ID);
    expect(await policy.getMergeStatus(ID)).toMatchObject(completed);
    expect(await headOf(subject, target)).toBe(commit);
  });

  it("CODE-6 lands exactly once when it is repeated, also by another process after its branch was deleted", async () => {
    await using subject = await open();
    const policy = create();
    const request = approved(await requestMerge(port, subject), traits);
    const result = await merge(policy, request);
    expect(result.success).toBe(true);
    expect(await merge(policy, request)).toEqual(result);
    expect(await merge(create(), request)).toEqual(result);
    await subject.vcs.deleteBranch(request.sourceBranch, request.sourceHead, request.marker);
    expect(await merge(create(), request)).toEqual(result);
    expect(subject.length(target)).toBe(2);
  });

  it("CODE-6 lands beside other work", async () => {
    await using subject = await open();
    const policy = create();
    const requests = [
      await requestMerge(port, subject, { "b.txt": "b\n" }, "a"),
      await requestMerge(port, subject, { "c.txt": "c\n" }, "b"),
    ];
    for (const request of requests)
      expect(await merge(policy, approved(request, traits))).toMatchObject({ success: true });
    const head = (await headOf(subject, target))!;
    expect([subject.fileAt(head, "b.txt"), subject.fileAt(head, "c.txt")]).toEqual(["b\n", "c\n"]);
    expect((await policy.getMergeStatus("x/b"))!.mergeId).toBe("x/b");
  });
}

function describeFailures<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { target, merge, create, open } = port;

  it("CODE-7 because of a conflict names the files before a person is asked, and has the commit for a fix", async () => {
    await using subject = await open();
    const policy = create();
    const request = await requestMerge(port, subject, { "a.txt": "left\n" });
    const onto = await subject.commitOn("other", "main", { "a.txt": "right\n" });
    await moveTo(subject, target, onto);
    const before = await headOf(subject, target);
    const result = await merge(policy, request);
    expect(result).toMatchObject({
      success: false,
      mergeId: ID,
      error: { type: "merge_conflict", message: expect.stringContaining("`a.txt`") as string },
      conflicts: { files: [{ path: "a.txt" }] },
      failed: { onto: before },
    });
    expect(result.waitingFor).toBeUndefined();
    expect(subject.fileAt(result.failed!.commit, "a.txt")).toMatch(/<<<<<<< .*\nright\n=======\nleft\n>>>>>>> /u);
    expect(await headOf(subject, target)).toBe(before);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "failed", result });
  });

  it("CODE-5 because its source has moved changes nothing", async () => {
    await using subject = await open();
    const policy = create();
    const request = approved(await requestMerge(port, subject), port.traits);
    await subject.commitNothing(request.sourceBranch);
    expect(await merge(policy, request)).toMatchObject({ success: false, error: { type: "resource_unavailable" } });
    expect(subject.length(target)).toBe(1);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "failed" });
  });
}

/** Lands a commit on a branch, as another engine would do it. */
async function moveTo({ vcs }: MergeSubject, target: string, sourceHead: string): Promise<void> {
  const marker = { workflowId: "y", name: "other" };
  const texts = { isSquashed: false, message: "other", atMs: 1_000_000 };
  await vcs.mergeBranch({ source: "other", sourceHead, target, marker, ...texts });
}

function describeErrors<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { traits, target, merge, create, open } = port;

  it("CODE-7 because a branch is missing is an error and not a conflict, and does not stay at work", async () => {
    await using subject = await open();
    const request = approved(await requestMerge(port, subject), traits);
    for (const wrong of [{ sourceBranch: "none" }, { targetBranch: "none" }]) {
      const policy = create();
      await expect(merge(policy, { ...request, ...wrong })).rejects.toMatchObject({ code: "BRANCH_MISSING" });
      expect((await policy.getMergeStatus(ID))?.state).toBe("failed");
    }
    expect(subject.length(target)).toBe(1);
  });

  it("CANCEL-1 because its attempt was aborted changes nothing", async () => {
    await using subject = await open();
    const request = approved(await requestMerge(port, subject), traits);
    const reason = new Error("stopped");
    await expect(merge(create(), { ...request, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(subject.length(target)).toBe(1);
  });
}

function describeCancelling<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { target, merge, create, open } = port;

  it("CODE-10 has no effect if nobody asked for the merge", async () => {
    const policy = create();
    await policy.handleMergeFailure("x/none", { success: false, mergeId: "x/none" });
    await policy.cancelMerge("x/none");
    expect(await policy.getMergeStatus("x/none")).toBeUndefined();
  });

  it("CODE-7 CODE-10 is known as such, and changes nothing", async () => {
    await using subject = await open();
    const policy = create();
    const request = await requestMerge(port, subject, { "a.txt": "left\n" });
    await moveTo(subject, target, await subject.commitOn("other", "main", { "a.txt": "right\n" }));
    const before = await headOf(subject, target);
    const result = await merge(policy, request);
    for (let times = 0; times < 2; times++) await policy.handleMergeFailure(ID, result);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "failed", result });
    for (let times = 0; times < 2; times++) await policy.cancelMerge(ID);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "cancelled" });
    expect(await headOf(subject, target)).toBe(before);
    expect(await headOf(subject, request.sourceBranch)).toBe(request.sourceHead);
  });
}

/** A forge makes the commit that lands, so only its files are known before. */
function landing(subject: MergeSubject, commit: string): unknown {
  return subject.vcs.isForge ? ["a.txt", "b.txt"].map((path) => subject.fileAt(commit, path)) : commit;
}

function describeChecks<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { traits, target, merge, create, open } = port;

  it("CODE-5 run on the commit that lands, once, while the merge is at work", async () => {
    await using subject = await open();
    const policy = create();
    const seen: unknown[] = [];
    const check: Check = async (merged) => {
      seen.push(landing(subject, merged.commit), (await policy.getMergeStatus(ID))!.state);
      return PASSED;
    };
    const { commit } = await merge(policy, approved({ ...(await requestMerge(port, subject)), check }, traits));
    expect(seen).toEqual([landing(subject, commit!), "merging"]);
  });

  it("CODE-7 that fail are the reason why nothing lands, with their log and the commit for a fix", async () => {
    await using subject = await open();
    const policy = create();
    const request = approved(await requestMerge(port, subject), traits);
    const onto = await headOf(subject, target);
    const result = await merge(policy, { ...request, check: async () => FAILED });
    const error = { type: "test_failure" };
    expect(result).toMatchObject({
      success: false,
      error,
      ciLogs: "1 is not 2",
      failed: { onto, command: "npm test" },
    });
    expect(subject.fileAt(result.failed!.commit, "b.txt")).toBe("b\n");
    expect(await headOf(subject, target)).toBe(onto);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "failed", result });
    expect(await merge(policy, { ...request, check: async () => PASSED })).toMatchObject({ success: true });
  });

  it("CODE-7 that fail without the work too blame nobody: the merge waits", async () => {
    await using subject = await open();
    const request = approved(await requestMerge(port, subject), traits);
    const check: Check = async () => ({ ...FAILED, kind: "base-broken" });
    const result = await merge(create(), { ...request, check });
    expect(result).toMatchObject({ success: false, waitingFor: { kind: "base-broken" }, ciLogs: "1 is not 2" });
    expect([result.error, subject.length(target)]).toEqual([undefined, 1]);
  });

  it("CODE-10 during which the merge is cancelled or aborted are followed by no landing", async () => {
    await using subject = await open();
    const request = approved(await requestMerge(port, subject), traits);
    const policy = create();
    const cancelled = { ...request, check: async () => policy.cancelMerge(ID).then(() => PASSED) };
    await expect(merge(policy, cancelled)).rejects.toMatchObject({ code: "MERGE_CANCELLED" });
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "cancelled" });
    expect(subject.length(target)).toBe(1);
    const controller = new AbortController();
    const reason = new Error("stopped");
    const check: Check = async () => {
      controller.abort(reason);
      return PASSED;
    };
    const other = approved(await requestMerge(port, subject, { "c.txt": "c\n" }, "b"), traits);
    await expect(merge(create(), { ...other, signal: controller.signal, check })).rejects.toBe(reason);
    expect(subject.length(target)).toBe(1);
  });
}

function describeApproval<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { target, merge, create, open } = port;

  it("CODE-5 is waited for without a landing, and no check runs before it", async () => {
    await using subject = await open();
    const policy = create();
    const check: Check = async () => expect.fail("it is checked before the approval");
    const request = { ...(await requestMerge(port, subject)), check };
    const result = await merge(policy, request);
    expect(result).toMatchObject({ success: false, mergeId: ID, waitingFor: { kind: "approval" } });
    expect([result.error, subject.length(target)]).toEqual([undefined, 1]);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "waiting_for_approval", result });
    expect(await merge(create(), request)).toEqual(result);
    const landed = await merge(create(), { ...request, isApproved: true, check: async () => PASSED });
    expect(landed).toMatchObject({ success: true, commit: await headOf(subject, target) });
  });

  it("CODE-10 is not waited for after the merge was cancelled", async () => {
    await using subject = await open();
    const policy = create();
    await merge(policy, await requestMerge(port, subject));
    await policy.cancelMerge(ID);
    expect(await policy.getMergeStatus(ID)).toMatchObject({ state: "cancelled" });
    expect(subject.length(target)).toBe(1);
  });
}

function describePullRequest<Policy extends MergePolicy>(port: MergePort<Policy>): void {
  const { traits, target, source, merge, create, open } = port;
  const id = pullRequestId({ source: source("a"), target });

  it("CODE-5 is open until the work lands, and is merged then", async () => {
    await using subject = await open();
    const request = approved(await requestMerge(port, subject), traits);
    expect(await merge(create(), { ...request, check: async () => FAILED })).toMatchObject({ success: false });
    expect(await subject.vcs.getPullRequestStatus(id)).toMatchObject({ kind: "open", head: request.sourceHead });
    expect(await subject.vcs.getPullRequestChecks(id)).toMatchObject({ kind: "failed", name: "npm test" });
    const { commit } = await merge(create(), { ...request, check: async () => PASSED });
    expect(await subject.vcs.getPullRequestStatus(id)).toEqual({ kind: "merged", commit });
  });

  it("CODE-10 is closed when the merge is cancelled, and then only a person can open it", async () => {
    await using subject = await open();
    const policy = create();
    const request = approved(await requestMerge(port, subject), traits);
    await merge(policy, { ...request, check: async () => FAILED });
    await policy.cancelMerge(ID);
    expect(await subject.vcs.getPullRequestStatus(id)).toEqual({ kind: "closed" });
    const error = { type: "configuration_error", message: expect.stringContaining("was closed") as string };
    expect(await merge(create(), request)).toMatchObject({ success: false, error });
    expect(subject.length(target)).toBe(1);
  });
}
