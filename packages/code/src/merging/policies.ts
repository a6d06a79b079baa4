// The merge policies (CODE-5). Each serves steps and workflows alike.
//
//   MP1. Everything that a policy must remember is in the version control, in the pull request or in the journal. A policy
//        itself remembers only the results of this process, for `getMergeStatus`.
//   MP2. A conflict is found before a person is asked.
//   MP3. The pull requests of a merge are closed when the merge is cancelled, and those of earlier work when later work has
//        landed instead. A failure closes none, because a person may repair the work.
//   MP4. A merge that is cancelled or aborted while its checks run does not land.

import { CodeError } from "../errors/code-error.ts";
import { ErrorType } from "../model/error-type.ts";
import type { MergePolicyName } from "../model/merge-policy-name.ts";
import type { MergeResult, MergeState, MergeStatus, MergeWait } from "../model/merge-result.ts";
import type { CheckResult, MergedCommit } from "../vcs/branches.ts";
import type { FoundConflict, PullRequest, PullRequestChecks, PullRequestMerge } from "../vcs/pull-requests.ts";
import type { Vcs } from "../vcs/vcs.ts";
import { checkResult, mergeByBranch, toMergeResult } from "./branch-merge.ts";
import type {
  MergePolicyRequest,
  StepMergePolicy,
  StepMergeRequest,
  WorkflowMergePolicy,
  WorkflowMergeRequest,
} from "./merge-policies.ts";

/** How long a merge waits before it reads the checks of a forge again. */
const CHECKS_RETRY_MS = 15_000;

/** The part that all policies share: the results of their merges. */
export abstract class RecordedPolicy implements StepMergePolicy, WorkflowMergePolicy {
  readonly #statuses = new Map<string, MergeStatus>();

  abstract readonly policyName: MergePolicyName;

  protected abstract merge(request: MergePolicyRequest): Promise<MergeResult>;

  mergeStep(request: StepMergeRequest): Promise<MergeResult> {
    return this.#run(request, request.task.id);
  }

  mergeWorkflow(request: WorkflowMergeRequest): Promise<MergeResult> {
    return this.#run(request, undefined);
  }

  async getMergeStatus(mergeId: string): Promise<MergeStatus | undefined> {
    return this.#statuses.get(mergeId);
  }

  async handleMergeFailure(mergeId: string, result: MergeResult): Promise<void> {
    this.#update(mergeId, "failed", result);
  }

  async cancelMerge(mergeId: string): Promise<void> {
    this.#update(mergeId, "cancelled", undefined);
  }

  async #run(request: MergePolicyRequest, taskId: string | undefined): Promise<MergeResult> {
    const { mergeId, workflowId, signal } = request;
    signal.throwIfAborted();
    const task = taskId === undefined ? {} : { taskId };
    this.#statuses.set(mergeId, { mergeId, workflowId, ...task, state: "merging" });
    try {
      const result = await this.merge(this.#stoppable(request));
      this.#update(mergeId, stateOf(result), result);
      return result;
    } catch (error) {
      this.#update(mergeId, "failed", undefined);
      throw error;
    }
  }

  /** MP4. */
  #stoppable(request: MergePolicyRequest): MergePolicyRequest {
    const { mergeId, signal, check } = request;
    if (check === undefined) return request;
    return {
      ...request,
      check: async (commit) => {
        const result = await check(commit);
        signal.throwIfAborted();
        if (this.#statuses.get(mergeId)?.state === "cancelled")
          throw new CodeError("MERGE_CANCELLED", `the merge ${mergeId} was cancelled while its checks ran`);
        return result;
      },
    };
  }

  /** A merge that has landed stays completed, and one that was cancelled stays cancelled unless it has landed. */
  #update(mergeId: string, state: MergeState, result: MergeResult | undefined): void {
    const status = this.#statuses.get(mergeId);
    if (status === undefined || status.state === "completed") return;
    const next = status.state === "cancelled" && state !== "completed" ? "cancelled" : state;
    this.#statuses.set(mergeId, { ...status, state: next, ...(result === undefined ? {} : { result }) });
  }
}

function stateOf({ success, waitingFor }: MergeResult): MergeState {
  if (success) return "completed";
  if (waitingFor === undefined) return "failed";
  return waitingFor.kind === "approval" ? "waiting_for_approval" : "waiting_for_checks";
}

/** `auto`: lands what merges without a conflict, without checks. */
export class AutoMergePolicy extends RecordedPolicy {
  override readonly policyName = "auto";

  protected merge(request: MergePolicyRequest): Promise<MergeResult> {
    return mergeByBranch(withoutCheck(request));
  }
}

/** `checks`: lands what merges and passes the checks. */
export class ChecksMergePolicy extends RecordedPolicy {
  override readonly policyName = "checks";

  protected merge(request: MergePolicyRequest): Promise<MergeResult> {
    return mergeByBranch(request);
  }
}

/** `manual`: lands after the approval of a person, without a pull request. */
export class ManualMergePolicy extends RecordedPolicy {
  override readonly policyName = "manual";

  protected async merge(request: MergePolicyRequest): Promise<MergeResult> {
    if (request.isApproved) return await mergeByBranch(request);
    return await askUnlessConflict(request, { kind: "approval", message: approvalQuestion(request) });
  }
}

/** `pr_and_merge` and `pr_and_notify`: a pull request that is merged when its checks pass, or when a person says so. */
export class PullRequestPolicy extends RecordedPolicy {
  override readonly policyName: MergePolicyName;
  readonly #needsApproval: boolean;
  /** The pull requests that this process has asked for, by merge and source. */
  readonly #requested = new Map<string, Map<string, { readonly id: string; readonly vcs: Vcs }>>();

  constructor({ needsApproval }: { readonly needsApproval: boolean }) {
    super();
    this.policyName = needsApproval ? "pr_and_notify" : "pr_and_merge";
    this.#needsApproval = needsApproval;
  }

  /** Closes the pull request of the merge. */
  override async cancelMerge(mergeId: string): Promise<void> {
    await super.cancelMerge(mergeId);
    await this.#close(mergeId);
  }

  protected async merge(request: MergePolicyRequest): Promise<MergeResult> {
    const result = await this.#merge(request);
    if (result.success) await this.#close(request.mergeId, request.sourceBranch);
    return result;
  }

  async #close(mergeId: string, landed?: string): Promise<void> {
    for (const [source, { id, vcs }] of this.#requested.get(mergeId) ?? [])
      if (source !== landed) await vcs.closePullRequest(id);
    this.#requested.delete(mergeId);
  }

  async #merge(request: MergePolicyRequest): Promise<MergeResult> {
    const { vcs, sourceBranch, sourceHead, targetBranch, title, message, marker } = request;
    // After a crash the work may have landed and its branch may be deleted. The merge then finds the marker.
    if (!vcs.isForge && (await vcs.getBranchStatus(sourceBranch)).head === undefined)
      return await mergeByBranch(request);
    const pullRequest = await vcs.createPullRequest({
      source: sourceBranch,
      sourceHead,
      target: targetBranch,
      title,
      body: message,
      marker,
      hasChecks: request.check !== undefined,
    });
    if (pullRequest.isClosed === true) return refusedByPerson(request, pullRequest);
    const requested = this.#requested.get(request.mergeId) ?? new Map<string, { id: string; vcs: Vcs }>();
    this.#requested.set(request.mergeId, requested.set(sourceBranch, { id: pullRequest.id, vcs }));
    if (vcs.isForge) return await this.#mergeOnForge(request, pullRequest);
    const recorded = withRecordedChecks(request, pullRequest);
    if (request.isApproved || !this.#needsApproval) return await mergeByBranch(recorded);
    return await askUnlessConflict(recorded, this.#question(request, pullRequest));
  }

  /** The local checks come last, because nothing may change between them and the merge. */
  async #mergeOnForge(request: MergePolicyRequest, pullRequest: PullRequest): Promise<MergeResult> {
    const { vcs, mergeId } = request;
    const { id } = pullRequest;
    const status = await vcs.getPullRequestStatus(id);
    if (status.kind === "merged") return { success: true, mergeId, commit: status.commit };
    if (status.kind === "closed") return refusedByPerson(request, pullRequest);
    const merge = requireMerge(pullRequest);
    if (merge === "conflict" || "conflicts" in merge || status.isMergeable === false)
      return await conflictOnForge(request, typeof merge === "object" && "conflicts" in merge ? merge : undefined);
    const checks = await vcs.getPullRequestChecks(id);
    if (checks.kind === "failed") return failedOnForge(request, merge, checks);
    if (checks.kind === "pending" || status.isMergeable === undefined) return waitForChecks(mergeId, CHECKS_RETRY_MS);
    if (this.#needsApproval && !request.isApproved && !status.isApproved)
      return { success: false, mergeId, waitingFor: this.#question(request, pullRequest) };
    const checked = (await request.check?.(merge)) ?? { kind: "passed" };
    if (checked.kind !== "passed") return checkResult(request, merge, checked);
    return await forgeResult(request, await vcs.mergePullRequest(id, merge.commit, merge.onto));
  }

  #question(request: MergePolicyRequest, { id, url }: PullRequest): MergeWait {
    return {
      kind: "approval",
      message: approvalQuestion(request),
      ...(url === undefined ? {} : { url }),
      ...(request.vcs.isForge ? { pullRequest: id } : {}),
    };
  }
}

/** The pull request shows the results of the checks that run here. */
function withRecordedChecks(request: MergePolicyRequest, { id }: PullRequest): MergePolicyRequest {
  const { vcs, check } = request;
  if (check === undefined) return request;
  return {
    ...request,
    check: async (commit) => {
      const result = await check(commit);
      await vcs.recordPullRequestChecks?.(id, toPullRequestChecks(result));
      return result;
    },
  };
}

function toPullRequestChecks(result: CheckResult): PullRequestChecks {
  if (result.kind === "passed") return { kind: "passed" };
  const failed = { kind: "failed", name: result.command, log: result.log } as const;
  return result.kind === "base-broken" ? { ...failed, isBaseBroken: true } : failed;
}

function withoutCheck(request: MergePolicyRequest): MergePolicyRequest {
  const { check, ...rest } = request;
  return check === undefined ? request : rest;
}

/** Returns the built-in merge policy with this name. */
export function mergePolicy(name: MergePolicyName): StepMergePolicy & WorkflowMergePolicy {
  switch (name) {
    case "auto":
      return new AutoMergePolicy();
    case "checks":
      return new ChecksMergePolicy();
    case "manual":
      return new ManualMergePolicy();
    case "pr_and_merge":
      return new PullRequestPolicy({ needsApproval: false });
    case "pr_and_notify":
      return new PullRequestPolicy({ needsApproval: true });
  }
}

/** MP2. `getConflicts` finds the files; the merge itself makes the commit from which a fix starts. */
async function askUnlessConflict(request: MergePolicyRequest, question: MergeWait): Promise<MergeResult> {
  const { vcs, mergeId, sourceBranch, targetBranch } = request;
  if (await vcs.hasConflicts(sourceBranch, targetBranch)) return await mergeByBranch(request);
  return { success: false, mergeId, waitingFor: question };
}

/** PQ3. */
function requireMerge({ id, merge }: PullRequest): NonNullable<PullRequest["merge"]> {
  if (merge !== undefined) return merge;
  throw new CodeError("CONFIGURATION_INVALID", `the forge does not say which files pull request ${id} would land`);
}

function waitForChecks(mergeId: string, retryAfterMs: number): MergeResult {
  return { success: false, mergeId, waitingFor: { kind: "checks", retryAfterMs } };
}

function failedOnForge(
  request: MergePolicyRequest,
  merge: MergedCommit,
  { name, log, isBaseBroken }: Extract<PullRequestChecks, { readonly kind: "failed" }>,
): MergeResult {
  if (isBaseBroken === true) return checkResult(request, merge, { kind: "base-broken", command: name, log });
  const { onto, commit } = merge;
  const error = { type: ErrorType.CIFailure, message: `the check \`${name}\` failed` };
  return { success: false, mergeId: request.mergeId, error, ciLogs: log, failed: { onto, commit, command: name } };
}

async function forgeResult(request: MergePolicyRequest, merge: PullRequestMerge): Promise<MergeResult> {
  const { mergeId } = request;
  switch (merge.kind) {
    case "merged":
      return { success: true, mergeId, commit: merge.commit };
    case "conflict":
      return await conflictOnForge(request, merge.found);
    case "target-moved":
      return waitForChecks(mergeId, 0);
    case "head-moved":
      return failure(mergeId, ErrorType.ResourceUnavailable, "the head of the pull request changed");
    case "refused":
      return failure(mergeId, ErrorType.CIFailure, `the pull request cannot be merged: ${merge.reason}`);
  }
}

async function conflictOnForge(request: MergePolicyRequest, found: FoundConflict | undefined): Promise<MergeResult> {
  if (found !== undefined) return toMergeResult(request, { kind: "conflict", ...found });
  // The local merge finds the conflicting files and makes the commit from which a fix starts. Its check never passes: only
  // the forge lands.
  return await mergeByBranch({ ...request, check: refuseLanding });
}

async function refuseLanding(): Promise<CheckResult> {
  return { kind: "failed", command: "merge on the forge", log: "the forge reports a conflict" };
}

function failure(mergeId: string, type: ErrorType, message: string): MergeResult {
  return { success: false, mergeId, error: { type, message } };
}

/** A fix would not change the decision of a person, so this is escalated. */
function refusedByPerson({ mergeId }: MergePolicyRequest, { id, url }: PullRequest): MergeResult {
  const message = `the pull request ${url ?? `\`${id}\``} was closed without a merge; open it again if it should be merged`;
  return failure(mergeId, ErrorType.ConfigurationError, message);
}

function approvalQuestion({ sourceBranch, targetBranch, title }: MergePolicyRequest): string {
  return `Merge \`${sourceBranch}\` into \`${targetBranch}\`? ${title}`;
}
