// The step that asks a task backend for a task before an agent works on it (CODE-1).
//
//   CL1. It opens into the session when it has got the task. If another executor has done the task, it ends without one.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import { taskBranch } from "../git/branch-names.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { backendTaskId } from "./backend-task.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { permanentError } from "./permanent-error.ts";
import { sessionAttempts } from "./session-attempts.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { SessionInput, WorkValue } from "./step-values.ts";
import { waitFor } from "./wait-for.ts";

export async function claimTask(
  input: SessionInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<WorkValue | Expansion> {
  if ((await claim(input, context, runtime)) === "completed-elsewhere") return await landedElsewhere(input, runtime);
  const session = {
    id: "claimed",
    agent: CODE_AGENTS.session,
    resources: { ...context.resources },
    ...sessionAttempts(input.settings),
    input: escapeTemplates({ ...input, isClaimed: true }),
  };
  return expand([session], { result: "claimed" });
}

/** How often a task that another executor works on is looked at. A backend has no way to tell that it has ended. */
const CLAIM_RETRY_MS = 1000;

/**
 * With another task backend, the claim decides which executor works (CODE-1). If another executor has the task, this one
 * waits until the task has ended there: tasks that depend on it need its work.
 */
export async function claim(
  { task, workflow, settings }: SessionInput,
  { signal }: StepContext,
  { ports: { taskBackend }, executorId }: StepRuntime,
): Promise<"claimed" | "completed-elsewhere"> {
  const id = backendTaskId(workflow.workflowId, task);
  for (;;) {
    if (await taskBackend.claimTask(id, settings.executorId ?? executorId)) return "claimed";
    const current = await taskBackend.getTask(id);
    if (current?.status === "completed") return "completed-elsewhere";
    if (current === undefined || current.status === "failed")
      throw permanentError(
        new CodeError(
          "TASK_CLAIMED",
          `another executor had the task \`${task.id}\`: ${current?.error ?? "it is gone"}`,
        ),
      );
    await waitFor(CLAIM_RETRY_MS, signal);
  }
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
