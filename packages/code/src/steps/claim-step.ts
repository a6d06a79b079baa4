// The step that asks a task backend for a task before an agent works on it (CODE-1).
//
//   CL1. It opens into the session when it has got the task. If another executor has done the task, it ends without one.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { RateLimitError } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import { taskBranch } from "../git/branch-names.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { backendTaskId } from "./backend-task.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { permanentError } from "./permanent-error.ts";
import { stepAttempts } from "./step-attempts.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { SessionInput, WorkValue } from "./step-values.ts";

export async function claimTask(
  input: SessionInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<WorkValue | Expansion> {
  if ((await claim(input, runtime)) === "completed-elsewhere") return await landedElsewhere(input, runtime);
  const session = {
    id: "claimed",
    agent: CODE_AGENTS.session,
    resources: { ...context.resources },
    ...stepAttempts(input.settings),
    input: escapeTemplates(input),
  };
  return expand([session], { result: "claimed" });
}

/** When a task that another executor works on is looked at again. A backend has no way to tell that it has ended. */
const CLAIM_RETRY_MS = 5000;

/**
 * With another task backend, the claim decides which executor works (CODE-1). If another executor has the task, this one
 * waits until the task has ended there, because tasks that depend on it need its work. The step is put off meanwhile: it
 * holds neither a slot nor a place for a session, and the attempt does not count.
 */
export async function claim(
  { task, workflow, settings }: SessionInput,
  { ports: { taskBackend }, executorId }: StepRuntime,
): Promise<"claimed" | "completed-elsewhere"> {
  const id = backendTaskId(workflow.workflowId, task);
  if (await taskBackend.claimTask(id, settings.executorId ?? executorId)) return "claimed";
  const current = await taskBackend.getTask(id);
  if (current?.status === "completed") return "completed-elsewhere";
  if (current === undefined || current.status === "failed")
    throw permanentError(
      new CodeError("TASK_CLAIMED", `another executor had the task \`${task.id}\`: ${current?.error ?? "it is gone"}`),
    );
  throw claimedElsewhere(task.id);
}

export function claimedElsewhere(taskId: string): RateLimitError {
  return new RateLimitError(`another executor works on the task \`${taskId}\``, CLAIM_RETRY_MS);
}

/** The work is in the workflow branch already. */
export async function landedElsewhere(input: SessionInput, runtime: StepRuntime): Promise<WorkValue> {
  const { task, workflow } = input;
  return {
    kind: "unchanged",
    branch: taskBranch(workflow.workflowId, task.id),
    commit: await workflowHead(input, runtime),
    workspaceId: `${workflow.workflowId}/${task.id}`,
    sessionId: "",
    changedFiles: [],
    usage: {},
  };
}

export async function workflowHead({ workflow }: SessionInput, { ports }: StepRuntime): Promise<string> {
  const { head } = await ports.vcsPort.getBranchStatus(workflow.workflowBranch);
  if (head === undefined)
    throw permanentError(
      new CodeError("GIT_FAILED", `the branch \`${workflow.workflowBranch}\` does not exist any more`),
    );
  return head;
}
