// The step beside the approval of a pull request: looks at the forge from time to time, because a person may review, merge or
// close the pull request there (CODE-5).
//
//   WA1. When the forge has an answer, the step votes for the approval, so the merge reads the pull request and decides. The vote
//        itself approves nothing: the merge knows it by its voter.
//   WA2. Each look is an attempt that does not count.
//   WA3. The step ends after the approval has been decided, at the latest with its next look.

import type { StepContext } from "@segno/engine";
import { classifyError, type Json } from "@segno/kernel";
import type { PullRequestStatus } from "../vcs/pull-requests.ts";
import { waitError } from "./permanent-error.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeSettings } from "./step-values.ts";
import { waitDelay } from "./wait-delay.ts";

export interface WatchInput {
  readonly settings: CodeSettings;
  readonly pullRequest: string;
}

/** The voter that stands for an answer on the forge. */
export const FORGE_VOTER = "forge";

const LOOK_MS = 5000;

export async function watchPullRequest(
  { pullRequest }: WatchInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<Json> {
  const { host } = runtime;
  const { execution, step } = context;
  const approval = step.id.replace(/[^/]*$/u, "approval");
  if ((await host.executions.findStep(execution.id, approval))?.status !== "suspended") return { kind: "decided" };
  const delayMs = await waitDelay(LOOK_MS, context, runtime);
  const status = await readStatus(pullRequest, delayMs, context, runtime);
  if (status.kind === "open" && !status.isApproved)
    throw waitError("REVIEW_PENDING", "nobody has decided about the pull request on the forge", delayMs);
  const kind = status.kind === "open" ? "approved" : status.kind;
  await host.executions.approve(execution.id, approval, {
    by: FORGE_VOTER,
    comment: `the pull request is ${kind}`,
    id: `${FORGE_VOTER}-${pullRequest}`,
  });
  return { kind };
}

/** A forge that cannot be reached now is asked again, as often as needed: the approval may take days. */
async function readStatus(
  pullRequest: string,
  delayMs: number,
  { log }: StepContext,
  { ports }: StepRuntime,
): Promise<PullRequestStatus> {
  try {
    return await ports.vcsPort.getPullRequestStatus(pullRequest);
  } catch (error) {
    if (classifyError(error) === "permanent") throw error;
    const { message } = error as Error;
    log.debug("Pull request was not read", { error: message });
    throw waitError("REVIEW_PENDING", message, delayMs);
  }
}
