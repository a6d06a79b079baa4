// Merges by `Branches.mergeBranch` and reports the outcome in the terms of merge policies.

import { ErrorType } from "../model/error-type.ts";
import type { MergeResult } from "../model/merge-result.ts";
import type { BranchMergeOutcome, CheckResult, MergedCommit } from "../vcs/branches.ts";
import { checkErrorType } from "./check-failure.ts";
import type { MergePolicyRequest } from "./merge-policies.ts";

/** How long a merge waits before it looks at the user's checkout again. */
const CHECKOUT_RETRY_MS = 5000;

export async function mergeByBranch(request: MergePolicyRequest): Promise<MergeResult> {
  const { vcs, sourceBranch, sourceHead, targetBranch, marker, message, atMs, check } = request;
  const outcome = await vcs.mergeBranch({
    source: sourceBranch,
    sourceHead,
    target: targetBranch,
    marker,
    isSquashed: false,
    message,
    atMs,
    ...(check === undefined ? {} : { check }),
  });
  return toMergeResult(request, outcome);
}

/** The result of a merge whose checks did not pass. */
export function checkResult(
  request: MergePolicyRequest,
  { onto, commit }: MergedCommit,
  { kind, command, log }: Exclude<CheckResult, { readonly kind: "passed" }>,
): MergeResult {
  return toMergeResult(request, { kind: kind === "failed" ? "check-failed" : kind, onto, commit, command, log });
}

export function toMergeResult({ mergeId, ...request }: MergePolicyRequest, outcome: BranchMergeOutcome): MergeResult {
  switch (outcome.kind) {
    case "landed":
      return {
        success: true,
        mergeId,
        commit: outcome.commit,
        ...(outcome.isOtherWork === true ? { isOtherWork: true } : {}),
      };
    case "conflict":
      return {
        success: false,
        mergeId,
        error: { type: ErrorType.MergeConflict, message: conflictMessage(request, outcome.conflicts.files) },
        conflicts: outcome.conflicts,
        failed: { onto: outcome.onto, commit: outcome.commit },
      };
    case "check-failed":
      return {
        success: false,
        mergeId,
        error: { type: checkErrorType(outcome.command), message: `\`${outcome.command}\` failed on the merged files` },
        ciLogs: outcome.log,
        failed: { onto: outcome.onto, commit: outcome.commit, command: outcome.command },
      };
    case "base-broken":
      return {
        success: false,
        mergeId,
        ciLogs: outcome.log,
        waitingFor: {
          kind: "base-broken",
          message: `\`${outcome.command}\` fails on \`${request.targetBranch}\` without this work`,
        },
      };
    case "source-moved":
      return {
        success: false,
        mergeId,
        error: {
          type: ErrorType.ResourceUnavailable,
          message: `\`${request.sourceBranch}\` changed while it was merged`,
        },
      };
    case "checkout-blocked":
      return {
        success: false,
        mergeId,
        waitingFor: { kind: "checkout", message: outcome.reason, retryAfterMs: CHECKOUT_RETRY_MS },
      };
  }
}

function conflictMessage(
  { sourceBranch, targetBranch }: Pick<MergePolicyRequest, "sourceBranch" | "targetBranch">,
  files: readonly { readonly path: string }[],
): string {
  const names = files.map(({ path }) => `\`${path}\``).join(", ");
  return `\`${sourceBranch}\` conflicts with \`${targetBranch}\` in ${names || "their history"}`;
}
